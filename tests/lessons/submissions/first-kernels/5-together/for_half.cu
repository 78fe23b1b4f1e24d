// wrong: a barrier that only some threads reach
// loses: fault
// says: a barrier that

extern "C" __global__ void together(const int *in, int *out) {
  __shared__ int tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  if (threadIdx.x + 1 < blockDim.x) __syncthreads();
  out[i] = tile[threadIdx.x] + tile[(threadIdx.x + 1) % blockDim.x];
}
