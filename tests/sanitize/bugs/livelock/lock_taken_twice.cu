// A function that locks is called by one that holds the lock already.
__device__ void lock_it(int *lock) {
  while (atomicCAS(lock, 0, 1) != 0);  // BUG
  __threadfence();
}

__device__ void free_it(int *lock) {
  __threadfence();
  atomicExch(lock, 0);
}

__device__ void add(int *lock, int *sum, int value) {
#ifdef BUGGY
  lock_it(lock);
#endif
  *sum += value;
#ifdef BUGGY
  free_it(lock);
#endif
}

extern "C" __global__ void lock_taken_twice(int *lock, int *sum) {
  if (threadIdx.x != 0) return;
  lock_it(lock);
  add(lock, sum, 4);
  add(lock, sum, 5);
  free_it(lock);
}
