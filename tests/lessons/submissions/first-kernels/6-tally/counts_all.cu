// wrong: counts all elements
// loses: result
// says: count[0] is wrong

extern "C" __global__ void tally(const int *in, int n, int bound, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(count, 1);
}
