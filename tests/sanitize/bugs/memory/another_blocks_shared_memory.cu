// Block 0 hands a result to block 1 by its address.
extern "C" __global__ void another_blocks_shared_memory(int **box, int *flag, int *global,
                                                        int *out) {
  __shared__ int result;
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
#ifdef BUGGY
    int *place = &result;
#else
    int *place = global;
#endif
    *place = 42;
    *box = place;
    __threadfence();
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0);
    __threadfence();
    *out = **box;  // BUG
  }
}
