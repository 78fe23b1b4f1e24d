// A histogram in global memory; ++ is a load and a store.
extern "C" __global__ void histogram(const int *values, int *bins) {
  int v = values[blockIdx.x * blockDim.x + threadIdx.x];
#ifdef BUGGY
  bins[v]++;  // BUG
#else
  atomicAdd(&bins[v], 1);
#endif
}
