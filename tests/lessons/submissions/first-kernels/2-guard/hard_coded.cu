// wrong: hard-coded number of elements
// loses: result
// says: out[6] is wrong

extern "C" __global__ void square(const int *in, int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 6) out[i] = in[i] * in[i];
}
