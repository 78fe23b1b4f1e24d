// Sets an array with several elements a thread, then sums it; n is no multiple of the threads.
extern "C" __global__ void rounded_down(int *a, int *sum, int n) {
#ifdef BUGGY
  int rounds = n / blockDim.x;
#else
  int rounds = (n + blockDim.x - 1) / blockDim.x;
#endif
  for (int r = 0; r < rounds; r++) {
    int i = r * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i;
  }
  __syncthreads();
  int mine = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += a[i];  // BUG
  atomicAdd(sum, mine);
}
