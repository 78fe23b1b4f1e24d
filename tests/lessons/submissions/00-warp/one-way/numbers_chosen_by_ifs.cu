// right: one loop, and the numbers for it are chosen by ifs: a compiler makes selections of them

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = in[i];
  unsigned factor = 5, more = 1;
  if (i % 4 == 1) { factor = 9; more = 3; }
  if (i % 4 == 2) { factor = 13; more = 5; }
  if (i % 4 == 3) { factor = 17; more = 7; }
  for (int turn = 0; turn < turns; turn++) x = factor * x + more;
  out[i] = x;
}
