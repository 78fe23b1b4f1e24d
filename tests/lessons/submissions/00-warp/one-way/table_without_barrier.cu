// wrong: missing barrier
// loses: sanitizer
// says: race on

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  __shared__ unsigned factors[4], added[4];
  if (threadIdx.x < 4) {
    factors[threadIdx.x] = 5 + 4 * threadIdx.x;
    added[threadIdx.x] = 1 + 2 * threadIdx.x;
  }
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = in[i];
  unsigned factor = factors[i % 4];
  unsigned more = added[i % 4];
  for (int turn = 0; turn < turns; turn++) x = factor * x + more;
  out[i] = x;
}
