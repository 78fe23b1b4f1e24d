// right: a condition in the place of the remainder

extern "C" __global__ void together(const int *in, int *out) {
  __shared__ int tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  int next = threadIdx.x + 1 < blockDim.x ? threadIdx.x + 1 : 0;
  out[i] = tile[next] + tile[threadIdx.x];
}
