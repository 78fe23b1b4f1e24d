// wrong: reads what nothing wrote
// loses: sanitizer
// says: nothing has written

#define EVERY_LANE 0xffffffffu

__device__ int warp_sum(int value) {
  for (int d = warpSize / 2; d > 0; d /= 2)
    value += __shfl_down_sync(EVERY_LANE, value, d);
  return value;
}

extern "C" __global__ void sum(const int *in, int count, int *out) {
  __shared__ int warp_sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  int of_warp = warp_sum(i < count ? in[i] : 0);
  if (lane == 0) warp_sums[warp] = of_warp;
  __syncthreads();
  if (warp == 0) {
    int of_block = warp_sum(warp_sums[lane]);
    if (lane == 0) out[blockIdx.x] = of_block;
  }
}
