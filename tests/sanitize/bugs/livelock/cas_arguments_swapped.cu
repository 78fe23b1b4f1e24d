// atomicCAS(address, compare, value): the lock is 0 when it is free.
extern "C" __global__ void cas_arguments_swapped(int *lock, int *sum) {
  if (threadIdx.x != 0) return;
#ifdef BUGGY
  while (atomicCAS(lock, 1, 0) != 1);  // BUG
#else
  while (atomicCAS(lock, 0, 1) != 0);
#endif
  __threadfence();
  *sum += 2;
  __threadfence();
  atomicExch(lock, 0);
}
