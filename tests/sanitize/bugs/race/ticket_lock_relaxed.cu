// Blocks draw tickets for a lock, under which each of them changes a number.
#include <cuda/atomic>
using Counter = cuda::atomic<unsigned, cuda::thread_scope_device>;
#ifdef BUGGY
#define FREES cuda::memory_order_relaxed
#else
#define FREES cuda::memory_order_release
#endif

extern "C" __global__ void ticket_lock_relaxed(Counter *drawn, Counter *served, unsigned *number) {
  if (threadIdx.x != 0) return;
  unsigned mine = drawn->fetch_add(1, cuda::memory_order_relaxed);
  while (served->load(cuda::memory_order_acquire) != mine) {
  }
  number[0] = 3 * number[0] + 1;  // BUG
  served->fetch_add(1, FREES);
}
