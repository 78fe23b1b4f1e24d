// Block after block: each waits for another one. Only so many blocks run at the same time.
extern "C" __global__ void block_that_is_not_resident(int *done, int *out) {
  int b = blockIdx.x, last = gridDim.x - 1;
  if (threadIdx.x != 0) return;
#ifdef BUGGY
  if (b < last) {
    while (atomicAdd(&done[b + 1], 0) == 0);  // BUG
  }
#else
  if (b > 0) {
    while (atomicAdd(&done[b - 1], 0) == 0);
  }
#endif
  out[b] = b + 1;
  __threadfence();
  atomicExch(&done[b], 1);
}
