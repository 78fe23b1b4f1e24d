// wrong: a thread sets the counter to 0 first
// loses: result
// says: count[0] is wrong

extern "C" __global__ void tally(const int *in, int n, int bound, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) *count = 0;
  if (i < n && in[i] > bound) atomicAdd(count, 1);
}
