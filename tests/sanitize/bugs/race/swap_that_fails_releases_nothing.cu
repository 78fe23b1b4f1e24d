// Block 0 marks its number as ready by a compare-and-swap, which fails if it expects another mark.
#include <cuda/atomic>

extern "C" __global__ void swap_that_fails_releases_nothing(int *flag, int *data, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> mark(flag[0]), done(flag[1]);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 42;  // BUG
#ifdef BUGGY
    int expected = 7;
#else
    int expected = 0;
#endif
    mark.compare_exchange_strong(expected, 5, cuda::memory_order_acq_rel);
    done.store(1, cuda::memory_order_relaxed);
  } else {
    while (done.load(cuda::memory_order_relaxed) == 0) {
    }
    mark.load(cuda::memory_order_acquire);
    *out = *data;  // BUG
  }
}
