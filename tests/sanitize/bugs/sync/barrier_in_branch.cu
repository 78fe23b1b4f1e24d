// Turns the first n elements around through shared memory.
extern "C" __global__ void barrier_in_branch(int *a, int n) {
  __shared__ int part[64];
  int t = threadIdx.x;
#ifdef BUGGY
  if (t < n) {
    part[t] = a[t];
    __syncthreads();  // BUG
  }
#else
  if (t < n) part[t] = a[t];
  __syncthreads();
#endif
  int value = t < n ? part[n - 1 - t] : 0;
  __syncthreads();  // BUG
  if (t < n) a[t] = value;
}
