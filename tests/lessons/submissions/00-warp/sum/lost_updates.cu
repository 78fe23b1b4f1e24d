// wrong: race
// loses: sanitizer
// says: race on

#define EVERY_LANE 0xffffffffu

__device__ int warp_sum(int value) {
  for (int d = warpSize / 2; d > 0; d /= 2)
    value += __shfl_down_sync(EVERY_LANE, value, d);
  return value;
}

extern "C" __global__ void sum(const int *in, int count, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) out[blockIdx.x] = 0;
  __syncthreads();
  int of_warp = warp_sum(i < count ? in[i] : 0);
  if (threadIdx.x % warpSize == 0) out[blockIdx.x] += of_warp;
}
