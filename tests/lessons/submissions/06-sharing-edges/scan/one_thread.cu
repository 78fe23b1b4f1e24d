// wrong: one thread adds up all elements
// loses: limit
// says: work.maximum is

extern "C" __global__ void scan(const int *in, int count, int *out, int *totals) {
  __shared__ int tile[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < count ? in[i] : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int t = 0; t < blockDim.x; t++) {
      int own = tile[t];
      tile[t] = sum;
      sum += own;
    }
    totals[blockIdx.x] = sum;
  }
  __syncthreads();
  if (i < count) out[i] = tile[threadIdx.x];
}
