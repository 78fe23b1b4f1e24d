// The sum of x, a partial one from each block: seven versions, each a little faster than the last.

// 1: a tree whose threads are further and further apart, so that warps diverge.
extern "C" __global__ void reduce_diverging(const int *x, int *sums, int n) {
  extern __shared__ int shared[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  shared[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (t % (2 * step) == 0) shared[t] += shared[t + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = shared[0];
}

// 2: the first threads work, on places that are apart: banks conflict.
extern "C" __global__ void reduce_strided(const int *x, int *sums, int n) {
  extern __shared__ int shared[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  shared[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    int at = 2 * step * t;
    if (at < blockDim.x) shared[at] += shared[at + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = shared[0];
}

__device__ void halved(int *shared, int t, int least) {
  for (int half = blockDim.x / 2; half > least; half /= 2) {
    if (t < half) shared[t] += shared[t + half];
    __syncthreads();
  }
}

// 3: neighbours work on neighbours.
extern "C" __global__ void reduce_sequential(const int *x, int *sums, int n) {
  extern __shared__ int shared[];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  shared[t] = i < n ? x[i] : 0;
  __syncthreads();
  halved(shared, t, 0);
  if (t == 0) sums[blockIdx.x] = shared[0];
}

// 4: the first addition while loading, so that half as many blocks do.
extern "C" __global__ void reduce_first_add(const int *x, int *sums, int n) {
  extern __shared__ int shared[];
  int t = threadIdx.x, i = blockIdx.x * 2 * blockDim.x + t;
  shared[t] = (i < n ? x[i] : 0) + (i + blockDim.x < n ? x[i + blockDim.x] : 0);
  __syncthreads();
  halved(shared, t, 0);
  if (t == 0) sums[blockIdx.x] = shared[0];
}

// 5: the last warp without barriers of the block. Each step says who has read before who writes.
__device__ void last_warp(int *shared, int t) {
#pragma unroll
  for (int half = 32; half > 0; half /= 2) {
    int other = shared[t + half];
    __syncwarp();
    shared[t] += other;
    __syncwarp();
  }
}

extern "C" __global__ void reduce_last_warp(const int *x, int *sums, int n) {
  extern __shared__ int shared[];
  int t = threadIdx.x, i = blockIdx.x * 2 * blockDim.x + t;
  shared[t] = (i < n ? x[i] : 0) + (i + blockDim.x < n ? x[i + blockDim.x] : 0);
  __syncthreads();
  halved(shared, t, 32);
  if (t < 32) last_warp(shared, t);
  if (t == 0) sums[blockIdx.x] = shared[0];
}

// 6: the size of a block is known, so that its loop unrolls.
template <int threads>
__device__ int summed(int *shared, int t) {
  if constexpr (threads > 64) {
    if (t < threads / 2) shared[t] += shared[t + threads / 2];
    __syncthreads();
    return summed<threads / 2>(shared, t);
  } else {
    if (t < 32) last_warp(shared, t);
    return t == 0 ? shared[0] : 0;  // the others may still be adding
  }
}

extern "C" __global__ void reduce_unrolled(const int *x, int *sums, int n) {
  extern __shared__ int shared[];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  shared[t] = (i < n ? x[i] : 0) + (i + 128 < n ? x[i + 128] : 0);
  __syncthreads();
  int sum = summed<128>(shared, t);
  if (t == 0) sums[blockIdx.x] = sum;
}

// 7: few blocks with many numbers a thread; shuffles, and one atomic addition a block.
extern "C" __global__ void reduce_shuffles(const int *x, int *sums, int n) {
  __shared__ int of_warps[32];
  int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize, sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  for (int step = warpSize / 2; step > 0; step /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0) of_warps[warp] = sum;
  __syncthreads();
  if (warp > 0) return;
  sum = lane < blockDim.x / warpSize ? of_warps[lane] : 0;
  for (int step = warpSize / 2; step > 0; step /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0) atomicAdd(sums, sum);
}
