// wrong: off by one: leaves out the last element
// loses: result
// says: out[7] is wrong

extern "C" __global__ void square(const int *in, int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) out[i] = in[i] * in[i];
}
