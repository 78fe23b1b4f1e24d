// Thread 0 of each block adds the block's sum to the total.
extern "C" __global__ void sum_of_blocks(const int *in, int *total) {
  int sum = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) {
#ifdef BUGGY
    *total = *total + sum;  // BUG
#else
    atomicAdd(total, sum);
#endif
  }
}
