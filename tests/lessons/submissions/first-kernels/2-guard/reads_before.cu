// wrong: reads before it asks
// loses: fault
// says: but in has 6 elements

extern "C" __global__ void square(const int *in, int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = in[i];
  if (i < n) out[i] = x * x;
}
