// Two blocks meet at a barrier in global memory, and each reads what the other has written.
#include <cuda/atomic>
#include <cuda/barrier>

extern "C" __global__ void memory_barrier_of_block_scope(unsigned long long *state, int *made,
                                                         int *data, int *out) {
#ifdef BUGGY
  using Meeting = cuda::barrier<cuda::thread_scope_block>;
#else
  using Meeting = cuda::barrier<cuda::thread_scope_device>;
#endif
  auto *meeting = reinterpret_cast<Meeting *>(state);
  cuda::atomic_ref<int, cuda::thread_scope_device> there(*made);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    init(meeting, gridDim.x);
    there.store(1, cuda::memory_order_release);
  } else {
    while (there.load(cuda::memory_order_acquire) == 0) {
    }
  }
  data[blockIdx.x] = 7 + blockIdx.x;            // BUG
  meeting->arrive_and_wait();                   // BUG
  out[blockIdx.x] = data[1 - (int)blockIdx.x];  // BUG
}
