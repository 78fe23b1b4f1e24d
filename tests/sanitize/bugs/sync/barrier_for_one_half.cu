// Sorts each pair: a barrier that only even threads reach.
extern "C" __global__ void barrier_for_one_half(int *a) {
  __shared__ int pair[64];
  int t = threadIdx.x;
  pair[t] = a[t];
  __syncthreads();
  if (t % 2 == 0) {
    int low = min(pair[t], pair[t + 1]), high = max(pair[t], pair[t + 1]);
    pair[t] = low;
    pair[t + 1] = high;
#ifdef BUGGY
    __syncthreads();  // BUG
#endif
  }
  __syncthreads();  // BUG
  a[t] = pair[t];
}
