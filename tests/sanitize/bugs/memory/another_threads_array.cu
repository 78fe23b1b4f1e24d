// Thread 0 hands a table to the others by its address.
extern "C" __global__ void another_threads_array(int *out) {
  __shared__ int *table;
  __shared__ int common[4];
  int own[4];
  for (int k = 0; k < 4; k++) own[k] = 10 + k;
  if (threadIdx.x < 4) common[threadIdx.x] = 10 + threadIdx.x;
#ifdef BUGGY
  if (threadIdx.x == 0) table = own;
#else
  if (threadIdx.x == 0) table = common;
#endif
  __syncthreads();
  out[threadIdx.x] = table[threadIdx.x % 4];  // BUG
}
