// wrong: hard-coded number of threads
// loses: limit
// says: the result is right, but work.maximum is

extern "C" __global__ void clamp(const int *in, int n, int *out) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 32) {
    out[i] = in[i] < 0 ? 0 : in[i];
  }
}
