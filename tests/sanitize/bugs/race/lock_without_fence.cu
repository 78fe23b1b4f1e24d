// A lock keeps blocks apart in time, but fences must keep their writes together.
extern "C" __global__ void lock_without_fence(int *lock, int *sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0);
#ifdef BUGGY
  *sum += blockIdx.x + 1;  // BUG
#else
  __threadfence();
  *sum += blockIdx.x + 1;
  __threadfence();
#endif
  atomicExch(lock, 0);
}
