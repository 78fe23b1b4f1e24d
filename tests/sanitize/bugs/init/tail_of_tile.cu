// Sums an array block by block; the last block has fewer elements than threads.
extern "C" __global__ void tail_of_tile(const int *in, int *sums, int n) {
  __shared__ int tile[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
#ifdef BUGGY
  if (i < n) tile[t] = in[i];
#else
  tile[t] = i < n ? in[i] : 0;
#endif
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) tile[t] += tile[t + half];  // BUG
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = tile[0];
}
