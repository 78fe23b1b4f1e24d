// wrong: off by one: <= instead of <
// loses: fault
// says: but in has 6 elements

extern "C" __global__ void square(const int *in, int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = in[i] * in[i];
}
