// The first block hands a number to the second one, which waits for a flag.
#include <cuda/atomic>
using Flag = cuda::atomic<int, cuda::thread_scope_device>;

extern "C" __global__ void message_relaxed_store(Flag *flag, int *data, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 42;  // BUG
#ifdef BUGGY
    flag->store(1, cuda::memory_order_relaxed);
#else
    flag->store(1, cuda::memory_order_release);
#endif
  } else {
    while (flag->load(cuda::memory_order_acquire) == 0) {
    }
    out[0] = data[0];  // BUG
  }
}
