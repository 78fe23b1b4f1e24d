// wrong: right for an even number of turns only
// loses: result
// says: out[0] is wrong

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = in[i];
  unsigned factor = 5 + 4 * (i % 4), more = 1 + 2 * (i % 4);
  for (int turn = 0; turn < turns; turn += 2) {
    x = factor * x + more;
    x = factor * x + more;
  }
  out[i] = x;
}
