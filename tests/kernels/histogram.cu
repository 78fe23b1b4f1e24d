// How often each of BINS values occurs.
#define BINS 64

extern "C" __global__ void histogram_global(const unsigned char *x, int n, int *bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[x[i]], 1);
}

// The bins of a block in shared memory, added at its end.
extern "C" __global__ void histogram_shared(const unsigned char *x, int n, int *bins) {
  __shared__ int mine[BINS];
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[x[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x) {
    if (mine[b] != 0) atomicAdd(&bins[b], mine[b]);
  }
}

// Lanes that have the same value add once for all of them.
extern "C" __global__ void histogram_aggregated(const unsigned char *x, int n, int *bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned same = __match_any_sync(__activemask(), x[i]);
    if (threadIdx.x % warpSize == __ffs(same) - 1) atomicAdd(&bins[x[i]], __popc(same));
  }
}
