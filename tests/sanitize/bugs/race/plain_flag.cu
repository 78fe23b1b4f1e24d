// Block 0 hands a number to block 1 and sets a flag, which both sides must touch atomically.
extern "C" __global__ void plain_flag(int *data, int *flag, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 17;  // BUG
    __threadfence();
#ifdef BUGGY
    *flag = 1;  // BUG
  } else {
    while (*flag == 0);  // BUG
#else
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0);
#endif
    __threadfence();
    *out = *data;  // BUG
  }
}
