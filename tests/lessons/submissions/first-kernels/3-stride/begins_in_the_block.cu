// wrong: every block begins at 0
// loses: result
// says: out[64] is wrong

extern "C" __global__ void clamp(const int *in, int n, int *out) {
  int all = gridDim.x * blockDim.x;
  for (int i = threadIdx.x; i < n; i += all) {
    out[i] = in[i] < 0 ? 0 : in[i];
  }
}
