// wrong: the barrier before the write
// loses: sanitizer
// says: race on tile

extern "C" __global__ void together(const int *in, int *out) {
  __shared__ int tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  tile[threadIdx.x] = in[i];
  out[i] = tile[threadIdx.x] + tile[(threadIdx.x + 1) % blockDim.x];
}
