// wrong: two loops, each of which half of the lanes wait for
// loses: limit
// says: idle_share is

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = in[i];
  int kind = i % 4;
  unsigned f = 5 + 4 * kind, m = 1 + 2 * kind;
  if (kind < 2) for (int turn = 0; turn < turns; turn++) x = f * x + m;
  else for (int turn = 0; turn < turns; turn++) x = f * x + m;
  out[i] = x;
}
