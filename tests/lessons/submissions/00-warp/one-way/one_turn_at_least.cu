// wrong: takes a turn before it asks whether there is one
// loses: result
// says: with turns = 0

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = in[i];
  unsigned factor = 5 + 4 * (i % 4), more = 1 + 2 * (i % 4);
  do {
    x = factor * x + more;
  } while (--turns > 0);
  out[i] = x;
}
