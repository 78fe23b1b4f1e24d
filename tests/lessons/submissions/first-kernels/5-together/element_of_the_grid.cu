// wrong: the number in the grid for that in the block
// loses: fault
// says: but tile has 256 elements

extern "C" __global__ void together(const int *in, int *out) {
  __shared__ int tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[i] = in[i];
  __syncthreads();
  out[i] = tile[i] + tile[(threadIdx.x + 1) % blockDim.x];
}
