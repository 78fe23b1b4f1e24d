// All lanes of a warp want one lock: who has it waits at the loop's end for those who want it.
extern "C" __global__ void spin_lock_in_a_warp(int *lock, int *sum) {
#ifdef BUGGY
  while (atomicCAS(lock, 0, 1) != 0);  // BUG
  *sum += 1;
  __threadfence();
  atomicExch(lock, 0);
#else
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *sum += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
#endif
}
