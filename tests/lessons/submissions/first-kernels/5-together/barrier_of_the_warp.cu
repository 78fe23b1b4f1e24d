// wrong: a barrier of the warp where the block must wait
// loses: schedule
// says: not in the order

extern "C" __global__ void together(const int *in, int *out) {
  __shared__ int tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncwarp();
  out[i] = tile[threadIdx.x] + tile[(threadIdx.x + 1) % blockDim.x];
}
