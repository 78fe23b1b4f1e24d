extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = in[i];
  for (int turn = 0; turn < turns; turn++) {
    if (i % 4 == 0) {
      x = 5 * x;
      x = x + 1;
    } else if (i % 4 == 1) {
      x = 9 * x;
      x = x + 3;
    } else if (i % 4 == 2) {
      x = 13 * x;
      x = x + 5;
    } else {
      x = 17 * x;
      x = x + 7;
    }
  }
  out[i] = x;
}
