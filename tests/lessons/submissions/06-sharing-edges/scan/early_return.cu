// wrong: threads behind the end leave before the barrier
// loses: sanitizer
// says: which nothing has written

#define EVERY_LANE 0xffffffffu

__device__ int warp_inclusive_sum(int value) {
  int lane = threadIdx.x % warpSize;
  int sum = value;
  for (int d = 1; d < warpSize; d *= 2) {
    int left = __shfl_up_sync(EVERY_LANE, sum, d);
    if (lane >= d) sum += left;
  }
  return sum;
}

__device__ int block_exclusive_sum(int value) {
  __shared__ int sums[32];
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  int sum = warp_inclusive_sum(value);
  if (lane == warpSize - 1) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    int warps = blockDim.x / warpSize;
    int upto = warp_inclusive_sum(lane < warps ? sums[lane] : 0);
    if (lane < warps) sums[lane] = upto;
  }
  __syncthreads();
  int before = 0;
  if (warp > 0) before = sums[warp - 1];
  return before + sum - value;
}

extern "C" __global__ void scan(const int *in, int count, int *out, int *totals) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int value = in[i];
  int before = block_exclusive_sum(value);
  out[i] = before;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = before + value;
}
