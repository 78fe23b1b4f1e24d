// The difference of each element and the one before it; the first has none.
extern "C" __global__ void negative_index(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
#ifdef BUGGY
  out[i] = in[i] - in[i - 1];  // BUG
#else
  out[i] = i > 0 ? in[i] - in[i - 1] : in[i];
#endif
}
