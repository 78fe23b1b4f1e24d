// wrong: no guard
// loses: fault
// says: but in has 6 elements

extern "C" __global__ void tally(const int *in, int n, int bound, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > bound) atomicAdd(count, 1);
}
