// Blocks take turns by their numbers; the turn must pass from each to the next.
extern "C" __global__ void turn_that_skips(int *turn, int *out) {
  if (threadIdx.x != 0) return;
  while (atomicAdd(turn, 0) != blockIdx.x);  // BUG
  out[blockIdx.x] = blockIdx.x + 1;
  __threadfence();
#ifdef BUGGY
  atomicAdd(turn, 2);
#else
  atomicAdd(turn, 1);
#endif
}
