// wrong: the last thread has no neighbour
// loses: result
// says: out[7] is wrong

extern "C" __global__ void together(const int *in, int *out) {
  __shared__ int tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x] + tile[threadIdx.x + 1];
}
