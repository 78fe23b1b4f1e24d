// The first block hands a number to the second one, which waits for a flag and looks at it again.
#include <cuda/atomic>
using Flag = cuda::atomic_ref<int, cuda::thread_scope_device>;

extern "C" __global__ void message_relaxed_load(int *flag, int *data, int *out) {
  if (threadIdx.x != 0) return;
  Flag ready(*flag);
  if (blockIdx.x == 0) {
    data[0] = 42;  // BUG
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_relaxed) == 0) {
    }
#ifndef BUGGY
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
#endif
    out[0] = data[0];  // BUG
  }
}
