// wrong: right only where the number of warps is a power of two
// loses: result
// says: out[0] is wrong, as are 3 of 3

extern "C" __global__ void sum(const int *in, int count, int *out) {
  __shared__ int warp_sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  int value = i < count ? in[i] : 0;
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
  if (lane == 0) warp_sums[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < warps ? warp_sums[lane] : 0;
    for (int d = warps / 2; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
    if (lane == 0) out[blockIdx.x] = value;
  }
}
