// Blocks add under a lock; one that has nothing to add must free the lock, too.
extern "C" __global__ void returns_with_the_lock(int *lock, const int *in, int *sum) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0);  // BUG
  __threadfence();
  int value = in[blockIdx.x];
#ifdef BUGGY
  if (value <= 5) return;
#endif
  *sum += value;
  __threadfence();
  atomicExch(lock, 0);
}
