// right: a turn is written as three statements

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = in[i];
  unsigned kind = i % 4, f = 5 + 4 * kind, m = 1 + 2 * kind;
  int turn = 0;
  while (turn < turns) { x = x * f; x = x + m; turn++; }
  out[i] = x;
}
