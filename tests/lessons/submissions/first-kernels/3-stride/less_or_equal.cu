// wrong: off by one: <= instead of <
// loses: fault
// says: but in has 12 elements

extern "C" __global__ void clamp(const int *in, int n, int *out) {
  int all = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i <= n; i += all) {
    out[i] = in[i] < 0 ? 0 : in[i];
  }
}
