// Adds n elements to shared sums, a block's width at a time; n is no multiple of it.
extern "C" __global__ void loop_of_different_length(const int *in, int *out, int n) {
  __shared__ int sums[64];
  int t = threadIdx.x;
  sums[t] = 0;
#ifdef BUGGY
  for (int i = t; i < n; i += 64) {
    sums[t] += in[i];
    __syncthreads();  // BUG
  }
#else
  for (int first = 0; first < n; first += 64) {
    if (first + t < n) sums[t] += in[first + t];
    __syncthreads();
  }
#endif
  __syncthreads();  // BUG
  out[t] = sums[63 - t];
}
