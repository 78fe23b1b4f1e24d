// Adds one to every element; the last block is not full.
extern "C" __global__ void guard_missing(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BUGGY
  out[i] = in[i] + 1;  // BUG
#else
  if (i < n) out[i] = in[i] + 1;
#endif
}
