// wrong: one thread does the work of its block, and nobody can diverge from it
// loses: limit
// says: idle_share is

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  if (threadIdx.x > 0) return;
  int begin = blockIdx.x * blockDim.x;
  for (int i = begin; i < min(begin + 128, count); i++) {
    unsigned x = in[i];
    for (int turn = 0; turn < turns; turn++) x = (5 + 4 * (i % 4)) * x + 1 + 2 * (i % 4);
    out[i] = x;
  }
}
