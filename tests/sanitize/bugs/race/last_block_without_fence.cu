// The block that counts last sums what all have written; its count must not overtake the writes.
extern "C" __global__ void last_block_without_fence(const int *in, int *parts, int *count,
                                                    int *total) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = 3 * in[blockIdx.x];  // BUG
#ifndef BUGGY
    __threadfence();
#endif
    last = atomicAdd(count, 1) == (int)gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) {
    __threadfence();
    atomicAdd(total, parts[threadIdx.x]);  // BUG
  }
}
