// A histogram of 64 bins in a block of 32 threads.
extern "C" __global__ void more_bins_than_threads(const int *values, int *out, int n) {
  __shared__ int bins[64];
#ifdef BUGGY
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
#else
  for (int b = threadIdx.x; b < 64; b += blockDim.x) bins[b] = 0;
#endif
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[values[i]], 1);  // BUG
  __syncthreads();
  for (int b = threadIdx.x; b < 64; b += blockDim.x) out[b] = bins[b];
}
