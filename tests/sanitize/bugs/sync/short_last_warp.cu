// Sums each warp of a block of 48 threads: the second warp has sixteen lanes. A mask may name lanes
// that never were; a shuffle may not read them.
extern "C" __global__ void short_last_warp(const int *in, int *out) {
  int t = threadIdx.x, sum = 0;
#ifdef BUGGY
  int lanes = 32;
#else
  int lanes = min(32, (int)blockDim.x - t / 32 * 32);
#endif
  for (int k = 0; k < lanes; k++) sum += __shfl_sync(0xffffffff, in[t], k);  // BUG
  out[t] = sum;
}
