// Threads with less to do leave the rounds, at whose end the others meet at a barrier in memory.
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void memory_barrier_left(const int *rounds, int *out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier bar;
  __shared__ int value[64];
  int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x);
  value[t] = t;
  __syncthreads();
  for (int round = 0; round < 4; round++) {
    if (round == rounds[t]) {
#ifndef BUGGY
      bar.arrive_and_drop();
#endif
      break;
    }
    int next = value[(t + 1) % 64];
    bar.arrive_and_wait();  // BUG
    value[t] += next;
    bar.arrive_and_wait();  // BUG
  }
  out[t] = value[t];
}
