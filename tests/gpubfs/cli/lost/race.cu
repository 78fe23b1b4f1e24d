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
  int mine = i < count ? in[i] : 0;
  int total = warp_sum(mine);
  if (lane == 0)
    warp_sums[warp] = total;
  if (threadIdx.x == 0) {
    int all = 0;
    for (int w = 0; w < blockDim.x / warpSize; w++)
      all += warp_sums[w];
    out[blockIdx.x] = all;
  }
}
