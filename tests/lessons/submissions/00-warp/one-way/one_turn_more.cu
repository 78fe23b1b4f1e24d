// wrong: off by one
// loses: result
// says: out[0] is wrong

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned factors[4] = {5, 9, 13, 17};
  const unsigned added[4] = {1, 3, 5, 7};
  unsigned x = in[i];
  unsigned factor = factors[i % 4];
  unsigned more = added[i % 4];
  for (int turn = 0; turn <= turns; turn++) x = factor * x + more;
  out[i] = x;
}
