// The last thread of block 0 should set the flag that block 1 waits for.
extern "C" __global__ void flag_that_nobody_sets(int *flag, int *out) {
  if (blockIdx.x == 0) {
#ifdef BUGGY
    if (threadIdx.x == blockDim.x) atomicExch(flag, 5);
#else
    if (threadIdx.x == blockDim.x - 1) atomicExch(flag, 5);
#endif
  } else {
    int seen;
    while ((seen = atomicAdd(flag, 0)) == 0);  // BUG
    out[threadIdx.x] = seen;
  }
}
