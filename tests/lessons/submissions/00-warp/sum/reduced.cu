// right: the hardware's own reduction; one thread adds up the warps

#define EVERY_LANE 0xffffffffu

extern "C" __global__ void sum(const int *in, int count, int *out) {
  __shared__ int warp_sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  int value = 0;
  if (i < count) value = in[i];
  int of_warp = __reduce_add_sync(EVERY_LANE, value);
  if (lane == 0) warp_sums[warp] = of_warp;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int of_block = 0;
  for (int w = 0; w < blockDim.x / warpSize; w++) of_block += warp_sums[w];
  out[blockIdx.x] = of_block;
}
