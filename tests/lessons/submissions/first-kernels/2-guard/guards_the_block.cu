// wrong: asks for the number in the block
// loses: fault
// says: but in has 150 elements

extern "C" __global__ void square(const int *in, int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < n) out[i] = in[i] * in[i];
}
