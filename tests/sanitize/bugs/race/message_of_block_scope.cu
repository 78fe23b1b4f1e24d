// The first block hands a number to the second one, by a flag of one block or of all.
#include <cuda/atomic>
#ifdef BUGGY
using Flag = cuda::atomic<int, cuda::thread_scope_block>;
#else
using Flag = cuda::atomic<int, cuda::thread_scope_device>;
#endif

extern "C" __global__ void message_of_block_scope(Flag *flag, int *data, int *out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[0] = 42;                                // BUG
    flag->store(1, cuda::memory_order_release);  // BUG
  } else {
    while (flag->load(cuda::memory_order_acquire) == 0) {  // BUG
    }
    out[0] = data[0];  // BUG
  }
}
