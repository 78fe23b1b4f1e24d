// Each thread looks for its key in a shared table, whose last entry stops every search.
__device__ int find(const int *entry, const int *end, int key) {
  int steps = 0;
#ifdef BUGGY
  while (*entry != key) entry++, steps++;  // BUG
#else
  while (entry < end && *entry != key) entry++, steps++;
#endif
  return steps;
}

extern "C" __global__ void walked_past_shared_array(const int *keys, int *out) {
  __shared__ int table[32];
  __shared__ int behind[32];
  table[threadIdx.x] = keys[threadIdx.x];
  behind[threadIdx.x] = 1000 + threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = find(table, table + 32, 1000 + threadIdx.x) + behind[0] - 1000;
}
