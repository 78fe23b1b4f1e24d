// __threadfence_block is for threads of one block, but the reader is in another.
extern "C" __global__ void fence_of_a_block(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 29;  // BUG
#ifdef BUGGY
    __threadfence_block();
#else
    __threadfence();
#endif
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0);
    __threadfence();
    *out = *data;  // BUG
  }
}
