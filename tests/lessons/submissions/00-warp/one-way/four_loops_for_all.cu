// wrong: no lane waits, but each takes the turns of all four kinds
// loses: limit
// says: warp_steps is

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = in[i];
  unsigned a = x, b = x, c = x, d = x;
  for (int turn = 0; turn < turns; turn++) a = 5 * a + 1;
  for (int turn = 0; turn < turns; turn++) b = 9 * b + 3;
  for (int turn = 0; turn < turns; turn++) c = 13 * c + 5;
  for (int turn = 0; turn < turns; turn++) d = 17 * d + 7;
  int kind = i % 4;
  x = kind == 0 ? a : kind == 1 ? b : kind == 2 ? c : d;
  out[i] = x;
}
