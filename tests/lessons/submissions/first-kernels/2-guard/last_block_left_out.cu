// wrong: leaves out a block that is not full
// loses: result
// says: out[0] is wrong

extern "C" __global__ void square(const int *in, int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if ((blockIdx.x + 1) * blockDim.x <= n) out[i] = in[i] * in[i];
}
