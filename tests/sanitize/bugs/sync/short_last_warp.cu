// Sums each warp of a block of 48 threads: the second warp has sixteen lanes.
extern "C" __global__ void short_last_warp(const int *in, int *out) {
  int t = threadIdx.x, value = in[t];
#ifdef BUGGY
  int lanes = 32;
#else
  int lanes = t < 32 ? 32 : blockDim.x - 32;
#endif
  unsigned mask = 0xffffffffu >> (32 - lanes);
  for (int d = lanes / 2; d > 0; d /= 2) value += __shfl_down_sync(mask, value, d, lanes);  // BUG
  if (t % 32 == 0) out[t / 32] = value;
}
