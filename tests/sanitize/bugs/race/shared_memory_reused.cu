// One piece of shared memory serves two arrays, the second before the first is done with.
extern "C" __global__ void shared_memory_reused(const float *in, int *ranks) {
  __shared__ float values[32];
  int *order = (int *)values;
  int t = threadIdx.x, smaller = 0;
  values[t] = in[t];
  __syncthreads();
  for (int k = 0; k < 32; k++) smaller += values[k] < values[t];  // BUG
#ifndef BUGGY
  __syncthreads();
#endif
  order[smaller] = t;  // BUG
  __syncthreads();
  ranks[t] = order[t];
}
