// wrong: not atomic: an increment
// loses: sanitizer
// says: race on count

extern "C" __global__ void tally(const int *in, int n, int bound, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > bound) *count += 1;
}
