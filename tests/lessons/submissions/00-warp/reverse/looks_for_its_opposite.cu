// right: every thread looks at all places of the tile for the one opposite

extern "C" __global__ void reverse(const int *in, int *out) {
  extern __shared__ int tile[];
  int first = blockIdx.x * blockDim.x;
  tile[threadIdx.x] = in[first + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < blockDim.x; i++) {
    if (i + threadIdx.x == blockDim.x - 1) out[first + threadIdx.x] = tile[i];
  }
}
