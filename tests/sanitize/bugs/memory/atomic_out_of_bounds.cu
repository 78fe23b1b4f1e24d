// Counts values from 0 to 100 in ten bins of ten; 100 belongs into the last.
extern "C" __global__ void atomic_out_of_bounds(const int *values, int *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int bin = values[i] / 10;
#ifdef BUGGY
  atomicAdd(&bins[bin], 1);  // BUG
#else
  atomicAdd(&bins[min(bin, 9)], 1);
#endif
}
