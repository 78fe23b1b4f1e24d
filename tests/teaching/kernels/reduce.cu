// Sum of n ints, one partial sum for each block: four versions, each better than the last.
//
// The block size is a power of two; dynamic shared memory holds one int for each thread.

// Adjacent pairs first. Working threads are spread out, so all warps stay busy to the end.
extern "C" __global__ void reduce_divergent(const int *in, int *partial, int n) {
  extern __shared__ int s[];
  unsigned tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    if (tid % (2 * step) == 0) s[tid] += s[tid + step];
    __syncthreads();
  }
  if (tid == 0) partial[blockIdx.x] = s[0];
}

// The same pairs, taken by the first threads: whole warps retire, but the stride of the
// shared accesses grows, and with it the bank conflicts.
extern "C" __global__ void reduce_strided(const int *in, int *partial, int n) {
  extern __shared__ int s[];
  unsigned tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    unsigned left = 2 * step * tid;
    if (left < blockDim.x) s[left] += s[left + step];
    __syncthreads();
  }
  if (tid == 0) partial[blockIdx.x] = s[0];
}

// The upper half is added to the lower half: neighbours read neighbours, no conflicts.
extern "C" __global__ void reduce_sequential(const int *in, int *partial, int n) {
  extern __shared__ int s[];
  unsigned tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (tid < half) s[tid] += s[tid + half];
    __syncthreads();
  }
  if (tid == 0) partial[blockIdx.x] = s[0];
}

// The last 64 sums, by one warp. Since Volta lanes of a warp need not step together:
// all must have read before one writes, and written before one reads.
__device__ void reduce_in_warp(volatile int *s, unsigned lane) {
  for (unsigned half = 32; half > 0; half /= 2) {
    int other = s[lane + half];
    __syncwarp();
    s[lane] = s[lane] + other;
    __syncwarp();
  }
}

// A first addition while loading, for half as many blocks, and no block barriers for
// the last warp. Needs at least 64 threads a block.
extern "C" __global__ void reduce_first_add(const int *in, int *partial, int n) {
  extern __shared__ int s[];
  unsigned tid = threadIdx.x;
  int i = blockIdx.x * (2 * blockDim.x) + tid;
  int far = i + blockDim.x;
  s[tid] = (i < n ? in[i] : 0) + (far < n ? in[far] : 0);
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 32; half /= 2) {
    if (tid < half) s[tid] += s[tid + half];
    __syncthreads();
  }
  if (tid < 32) reduce_in_warp(s, tid);
  if (tid == 0) partial[blockIdx.x] = s[0];
}
