// Block 1 tries to take what block 0 has not given yet, and reads the data when that fails at last.
#include <cuda/atomic>

extern "C" __global__ void swap_that_fails_relaxed(int *flag, int *data, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 42;  // BUG
    ready.store(1, cuda::memory_order_release);
  } else {
    int found = 0;
#ifdef BUGGY
    const cuda::memory_order failure = cuda::memory_order_relaxed;
#else
    const cuda::memory_order failure = cuda::memory_order_acquire;
#endif
    while (ready.compare_exchange_strong(found, 0, cuda::memory_order_acq_rel, failure)) {
    }
    *out = *data;  // BUG
  }
}
