// Bubbles values down a line until no thread changes anything any more.
extern "C" __global__ void vote_of_one(int *a) {
  __shared__ int line[64];
  int t = threadIdx.x, again = 1;
  line[t] = a[t];
  __syncthreads();
  while (again) {
    int left = t > 0 ? line[t - 1] : line[t];
    __syncthreads();  // BUG
    int changed = left < line[t];
    if (changed) line[t] = left;
#ifdef BUGGY
    __syncthreads();  // BUG
    again = changed;
#else
    again = __syncthreads_or(changed);
#endif
  }
  __syncthreads();  // BUG
  a[t] = line[t];
}
