// Two locks for four blocks: each block frees the one that it took.
extern "C" __global__ void frees_the_wrong_lock(int *locks, int *sums) {
  if (threadIdx.x != 0) return;
  int mine = blockIdx.x % 2;
  while (atomicCAS(&locks[mine], 0, 1) != 0);  // BUG
  __threadfence();
  sums[mine] += blockIdx.x + 1;
  __threadfence();
#ifdef BUGGY
  atomicExch(&locks[2 + mine], 0);
#else
  atomicExch(&locks[mine], 0);
#endif
}
