// wrong: takes away the sign
// loses: result
// says: is wrong

extern "C" __global__ void clamp(const int *in, int n, int *out) {
  int all = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += all) {
    out[i] = in[i] < 0 ? -in[i] : in[i];
  }
}
