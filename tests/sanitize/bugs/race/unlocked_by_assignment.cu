// A plain store frees the lock that others take atomically.
extern "C" __global__ void unlocked_by_assignment(int *lock, int *sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0);  // BUG
  __threadfence();
  *sum += blockIdx.x + 1;  // BUG
  __threadfence();
#ifdef BUGGY
  *lock = 0;  // BUG
#else
  atomicExch(lock, 0);
#endif
}
