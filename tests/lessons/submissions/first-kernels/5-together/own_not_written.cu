// wrong: nothing is put into tile
// loses: result
// says: out[0] is wrong

extern "C" __global__ void together(const int *in, int *out) {
  __shared__ int tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  out[i] = in[i] + tile[(threadIdx.x + 1) % blockDim.x];
}
