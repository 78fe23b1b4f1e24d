// Every block makes the exclusive prefix sums of its part of `in`:
//   out[i]     the sum of the elements before i that belong to the same block,
//   totals[b]  the sum of all elements of block b.
//
// Blocks have up to 1024 threads, whole warps always, and a thread for each
// element. The last block may have more threads than elements. Each element is
// to be read once, and the sums of warps are to be scanned by a warp: a loop over
// them would have 31 turns for the last of 32 warps.

#define EVERY_LANE 0xffffffffu

// The sum of `value` over the lanes up to this one, itself included. All lanes
// of the warp call together.
__device__ int warp_inclusive_sum(int value) {
  int lane = threadIdx.x % warpSize;
  int sum = value;
  for (int d = 1; d < warpSize; d *= 2) {
    int left = __shfl_up_sync(EVERY_LANE, sum, d);
    if (lane >= d) sum += left;
  }
  return sum;
}

// The sum of `value` over the threads of the block before this one. All threads
// of the block call together.
__device__ int block_exclusive_sum(int value) {
  __shared__ int sums[32];  // one for each warp
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  // BEGIN SOLUTION
  //| // Your code here.
  //| return 0;
  int sum = warp_inclusive_sum(value);
  if (lane == warpSize - 1) sums[warp] = sum;
  __syncthreads();
  // A block has at most as many warps as a warp has lanes.
  if (warp == 0) {
    int warps = blockDim.x / warpSize;
    int upto = warp_inclusive_sum(lane < warps ? sums[lane] : 0);
    if (lane < warps) sums[lane] = upto;
  }
  __syncthreads();
  int before = 0;
  if (warp > 0) before = sums[warp - 1];
  return before + sum - value;
  // END SOLUTION
}

extern "C" __global__ void scan(const int *in, int count, int *out, int *totals) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  //| // Your code here: all threads of the block must come to block_exclusive_sum.
  int value = i < count ? in[i] : 0;
  int before = block_exclusive_sum(value);
  if (i < count) out[i] = before;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = before + value;
  // END SOLUTION
}
