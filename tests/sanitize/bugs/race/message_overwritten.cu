// Block 0 sends a number by a flag, which block 1 raises further before block 2 looks.
#include <cuda/atomic>

extern "C" __global__ void message_overwritten(int *flag, int *data, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> stage(*flag);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    *data = 42;  // BUG
    stage.store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1) {
    while (stage.load(cuda::memory_order_relaxed) != 1) {
    }
#ifdef BUGGY
    stage.store(2, cuda::memory_order_relaxed);  // what block 0 has left is gone
#else
    stage.fetch_add(1, cuda::memory_order_relaxed);  // an update passes it on
#endif
  } else {
    while (stage.load(cuda::memory_order_relaxed) != 2) {
    }
    stage.load(cuda::memory_order_acquire);
    *out = *data;  // BUG
  }
}
