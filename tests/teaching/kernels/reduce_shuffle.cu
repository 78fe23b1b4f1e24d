// Sum of n ints to a single number in one launch: warp shuffles, then one atomic addition
// for each block, or none where the last block to finish adds up the others.
//
// The block size is a multiple of 32.

#define FULL 0xffffffffu

// Lane 0 gets the sum of the warp; no shared memory and no barrier.
__device__ int warp_sum(int value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(FULL, value, distance);
  }
  return value;
}

// Thread 0 gets the sum of the block.
__device__ int block_sum(int value) {
  __shared__ int sums[32];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  // A block may call this twice: the last call's sums must have been read.
  __syncthreads();
  value = warp_sum(value);
  if (lane == 0) sums[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < blockDim.x / 32 ? sums[lane] : 0);
  return value;
}

// The sum of every gridDim.x * blockDim.x-th element, from this thread's first one on.
__device__ int strided_sum(const int *in, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  return sum;
}

// total: starts at 0.
extern "C" __global__ void reduce_shuffle(const int *in, int *total, int n) {
  int sum = block_sum(strided_sum(in, n));
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

// arrived: blocks that have finished, starts at 0 and is 0 again afterwards.
extern "C" __global__ void reduce_last_block(const int *in, int *partial, unsigned *arrived,
                                             int *total, int n) {
  __shared__ bool last;
  int sum = block_sum(strided_sum(in, n));
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    // Whoever sees this block's arrival must also see its partial sum.
    __threadfence();
    last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    // And the last block must not read partial sums from before it saw the arrivals.
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  sum = 0;
  for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) sum += partial[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) *total = sum;
}
