// Sums each warp of a block of 48 threads: the second warp has sixteen lanes.
extern "C" __global__ void short_last_warp(const int *in, int *out) {
  int t = threadIdx.x, sum = 0;
#ifdef BUGGY
  unsigned mask = 0xffffffff;
#else
  unsigned mask = t < 32 ? 0xffffffff : 0x0000ffff;
#endif
  for (int k = 0; k < 16; k++) sum += __shfl_sync(mask, in[t], k);  // BUG
  out[t] = sum;
}
