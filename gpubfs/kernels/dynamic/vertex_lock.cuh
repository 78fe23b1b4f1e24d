// A lock for each vertex: 1 while a thread changes its adjacency.
//
// Try, and do what is to be done inside the branch of success:
//
//   while (!done) {
//     if (try_lock(&lock[v])) { …; unlock(&lock[v]); done = true; }
//   }
//
// A loop that only waits for the lock may never end where lanes of one warp want the same
// one. What others change under the lock is read through volatile pointers: an older line
// in the L1 cache of another multiprocessor would lose their updates.

#pragma once

__device__ __forceinline__ bool try_lock(unsigned *lock) {
  bool locked = atomicExch(lock, 1u) == 0;
  __threadfence();  // nothing is read before the lock is held: the exchange orders nothing
  return locked;
}

__device__ __forceinline__ void unlock(unsigned *lock) {
  __threadfence();  // all is written before the next one holds it
  atomicExch(lock, 0u);
}
