// Moves money between two accounts; each block locks its own account first.
__device__ void acquire(int *lock) {
  while (atomicCAS(lock, 0, 1) != 0);  // BUG
  __threadfence();
}

extern "C" __global__ void locks_in_opposite_order(int *locks, int *accounts, int *met) {
  int b = blockIdx.x;
  if (threadIdx.x != 0) return;
#ifdef BUGGY
  int first = b, second = 1 - b;
  acquire(&locks[first]);
  // Both blocks have their first lock now: chance is left out of the example.
  atomicAdd(met, 1);
  while (atomicAdd(met, 0) < 2);
#else
  int first = 0, second = 1;
  atomicAdd(met, 1);
  while (atomicAdd(met, 0) < 2);
  acquire(&locks[first]);
#endif
  acquire(&locks[second]);
  accounts[b] -= 10;
  accounts[1 - b] += 10 + b;
  __threadfence();
  atomicExch(&locks[second], 0);
  atomicExch(&locks[first], 0);
}
