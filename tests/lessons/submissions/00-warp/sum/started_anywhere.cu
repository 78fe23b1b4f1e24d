// wrong: wrong initial value
// loses: result
// says: out[0] is wrong

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
  // The array holds something already, which does not belong to the sum.
  if (lane == 0) atomicAdd(&out[blockIdx.x], of_warp);
}
