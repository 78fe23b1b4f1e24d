// right: a butterfly, and an atomic of each warp on shared memory

#define EVERY_LANE 0xffffffffu

extern "C" __global__ void sum(const int *in, int count, int *out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < count ? in[i] : 0;
  for (int bit = 1; bit < warpSize; bit *= 2)
    value += __shfl_xor_sync(EVERY_LANE, value, bit);
  if (threadIdx.x % warpSize == 0) atomicAdd(&total, value);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}
