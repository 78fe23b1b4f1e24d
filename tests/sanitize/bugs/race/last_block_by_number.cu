// The block with the last number sums what all have written; it need not be the last to run.
extern "C" __global__ void last_block_by_number(const int *in, int *parts, int *count, int *total) {
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = 2 * in[blockIdx.x];  // BUG
#ifdef BUGGY
    bool last = blockIdx.x == gridDim.x - 1;
#else
    __threadfence();
    bool last = atomicAdd(count, 1) == (int)gridDim.x - 1;
    __threadfence();
#endif
    if (last) {
      int sum = 0;
      for (int b = 0; b < (int)gridDim.x; b++) sum += parts[b];  // BUG
      *total = sum;
    }
  }
}
