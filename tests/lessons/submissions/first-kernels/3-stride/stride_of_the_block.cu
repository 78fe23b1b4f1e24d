// wrong: the stride is that of one block: elements are done twice
// loses: limit
// says: the result is right, but work.maximum is

extern "C" __global__ void clamp(const int *in, int n, int *out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) {
    out[i] = in[i] < 0 ? 0 : in[i];
  }
}
