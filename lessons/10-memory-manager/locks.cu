// Two ways to take a lock. Each thread adds 1 to `size` while it holds the lock.

// Waits for the lock, then goes on.
extern "C" __global__ void wait_first(int *lock, volatile int *size) {
  #pragma unroll 1
  while (atomicExch(lock, 1) != 0) {
  }
  __threadfence();
  *size = *size + 1;
  __threadfence();
  atomicExch(lock, 0);
}

// Tries, and does all that is to be done inside the branch of success.
extern "C" __global__ void try_again(int *lock, volatile int *size) {
  bool done = false;
  #pragma unroll 1
  while (!done) {
    if (atomicExch(lock, 1) == 0) {
      __threadfence();  // nothing is read before the lock is held
      *size = *size + 1;
      __threadfence();  // all is written before the next one holds it
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// The same without fences.
extern "C" __global__ void unordered(int *lock, volatile int *size) {
  bool done = false;
  #pragma unroll 1
  while (!done) {
    if (atomicExch(lock, 1) == 0) {
      *size = *size + 1;
      atomicExch(lock, 0);
      done = true;
    }
  }
}
