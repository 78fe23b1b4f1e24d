// Histogram of bytes: how often each of BINS values occurs.

#define BINS 64

// Every element is one atomic on global memory; a popular bin is a queue.
extern "C" __global__ void histogram_global(const unsigned char *in, unsigned *bins, int n) {
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    atomicAdd(&bins[in[i]], 1u);
  }
}

// Every block counts in a copy of its own first: global atomics are BINS a block.
extern "C" __global__ void histogram_shared(const unsigned char *in, unsigned *bins, int n) {
  __shared__ unsigned own[BINS];
  for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) own[bin] = 0;
  __syncthreads();
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    atomicAdd(&own[in[i]], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < BINS; bin += blockDim.x) {
    // Bins that stayed empty need no atomic.
    if (own[bin] > 0) atomicAdd(&bins[bin], own[bin]);
  }
}
