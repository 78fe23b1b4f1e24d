// Sums each warp's elements; n ends in the middle of a warp.
extern "C" __global__ void return_before_shuffle(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BUGGY
  if (i >= n) return;
  int value = in[i];
#else
  int value = i < n ? in[i] : 0;
#endif
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffff, value, d);  // BUG
  if (threadIdx.x % 32 == 0) out[i / 32] = value;
}
