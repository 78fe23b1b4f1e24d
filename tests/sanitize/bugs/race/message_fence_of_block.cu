// The first block hands a number to the second one, behind a fence and by a relaxed flag.
#include <cuda/atomic>
using Flag = cuda::atomic<int, cuda::thread_scope_device>;
#ifdef BUGGY
#define SCOPE cuda::thread_scope_block
#else
#define SCOPE cuda::thread_scope_device
#endif

extern "C" __global__ void message_fence_of_block(Flag *flag, int *data, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 42;  // BUG
    cuda::atomic_thread_fence(cuda::memory_order_release, SCOPE);
    flag->store(1, cuda::memory_order_relaxed);
  } else {
    while (flag->load(cuda::memory_order_acquire) == 0) {
    }
    out[0] = data[0];  // BUG
  }
}
