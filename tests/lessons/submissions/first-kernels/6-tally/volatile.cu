// wrong: volatile is not atomic
// loses: result
// says: count[0] is wrong

extern "C" __global__ void tally(const int *in, int n, int bound, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile int *seen = count;
  if (i < n && in[i] > bound) *seen = *seen + 1;
}
