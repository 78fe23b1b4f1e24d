// wrong: one element for each thread
// loses: result
// says: out[4] is wrong

extern "C" __global__ void clamp(const int *in, int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] < 0 ? 0 : in[i];
}
