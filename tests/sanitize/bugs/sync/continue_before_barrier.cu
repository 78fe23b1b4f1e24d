// Sums tiles of 64 elements; the last tile is short.
extern "C" __global__ void continue_before_barrier(const int *in, int *out, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x, sum = 0;
  for (int first = 0; first < n; first += 64) {
#ifdef BUGGY
    if (first + t >= n) continue;
    tile[t] = in[first + t];
#else
    tile[t] = first + t < n ? in[first + t] : 0;
#endif
    __syncthreads();  // BUG
    sum += tile[63 - t];
    __syncthreads();  // BUG
  }
  __syncthreads();  // BUG
  out[t] = sum;
}
