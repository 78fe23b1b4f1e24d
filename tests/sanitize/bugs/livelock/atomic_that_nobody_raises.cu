// Blocks pass a number on, each when the one before it has raised the stage.
#include <cuda/atomic>

extern "C" __global__ void atomic_that_nobody_raises(int *number, int *stage) {
  cuda::atomic_ref<int, cuda::thread_scope_device> turn(*stage);
  if (threadIdx.x != 0) return;
#ifdef BUGGY
  int mine = blockIdx.x + 1;
#else
  int mine = blockIdx.x;
#endif
  while (turn.load(cuda::memory_order_acquire) != mine) {  // BUG
  }
  *number = 3 * *number + mine;
  turn.fetch_add(1, cuda::memory_order_release);
}
