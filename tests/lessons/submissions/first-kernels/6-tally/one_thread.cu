// wrong: one thread counts all
// loses: limit
// says: the result is right, but work.maximum is

extern "C" __global__ void tally(const int *in, int n, int bound, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0) return;
  int found = 0;
  for (int k = 0; k < n; k++) found += in[k] > bound;
  atomicAdd(count, found);
}
