// A lock that each block takes by an exchange, to change a number.
#include <cuda/atomic>

extern "C" __global__ void exchanged_and_never_freed(int *number, int *held) {
  auto &lock = *reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device> *>(held);
  if (threadIdx.x != 0) return;
  while (lock.exchange(1, cuda::memory_order_acquire) != 0) {  // BUG
  }
  *number = 3 * *number + 1;
#ifndef BUGGY
  lock.store(0, cuda::memory_order_release);
#endif
}
