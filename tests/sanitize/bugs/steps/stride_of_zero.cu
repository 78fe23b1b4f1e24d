// The stride is rounded down to zero when the block is small.
extern "C" __global__ void stride_of_zero(int *a, int n) {
#ifdef BUGGY
  int stride = blockDim.x / 64;
#else
  int stride = (blockDim.x + 63) / 64;
#endif
  if (threadIdx.x > 0) return;
  for (int i = 0; i < n; i += stride) a[i] += 1;  // BUG
}
