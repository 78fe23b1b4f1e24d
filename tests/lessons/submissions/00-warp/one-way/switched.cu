// wrong: a switch parts lanes as an if does
// loses: limit
// says: idle_share is

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = in[i];
  for (int turn = 0; turn < turns; turn++) {
    switch (i % 4) {
      case 0: x = 5 * x + 1; break;
      case 1: x = 9 * x + 3; break;
      case 2: x = 13 * x + 5; break;
      default: x = 17 * x + 7;
    }
  }
  out[i] = x;
}
