// wrong: the guard behind the read
// loses: fault
// says: but in has 6 elements

extern "C" __global__ void tally(const int *in, int n, int bound, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > bound && i < n) atomicAdd(count, 1);
}
