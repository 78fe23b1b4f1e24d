// wrong: no branches, but four times the statements
// loses: limit
// says: warp_steps is

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x[4] = {in[i], in[i], in[i], in[i]};
  for (int turn = 0; turn < turns; turn++) {
    x[0] = 5 * x[0] + 1;
    x[1] = 9 * x[1] + 3;
    x[2] = 13 * x[2] + 5;
    x[3] = 17 * x[3] + 7;
  }
  out[i] = x[i % 4];
}
