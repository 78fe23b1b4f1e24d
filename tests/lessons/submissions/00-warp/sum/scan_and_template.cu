// right: a warp scans, its last lane has the sum; the second turn is unrolled by a template

template <int D>
__device__ int down(int value) {
  return value + __shfl_down_sync(0xffffffffu, value, D);
}

extern "C" __global__ void sum(const int *in, int count, int *out) {
  __shared__ int warp_sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int value = in[min(i, count - 1)] * (i < count);
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffffu, value, d);
    if (lane >= d) value += other;
  }
  if (lane == 31) warp_sums[warp] = value;
  __syncthreads();
  if (warp > 0) return;
  value = lane < blockDim.x / 32 ? warp_sums[lane] : 0;
  value = down<1>(down<2>(down<4>(down<8>(down<16>(value)))));
  if (lane == 0) out[blockIdx.x] = value;
}
