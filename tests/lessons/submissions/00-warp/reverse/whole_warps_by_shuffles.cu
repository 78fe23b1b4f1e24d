// wrong: forgets the last partial warp: all lanes are named in the shuffle
// loses: fault
// says: a shuffle

extern "C" __global__ void reverse(const int *in, int *out) {
  __shared__ int tile[1024];
  int first = blockIdx.x * blockDim.x;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  int turned = __shfl_sync(0xffffffffu, in[first + threadIdx.x], 31 - lane);
  tile[(warps - 1 - warp) * 32 + lane] = turned;
  __syncthreads();
  out[first + threadIdx.x] = tile[threadIdx.x];
}
