// Turns the numbers of each block round in a tile, whose threads meet at a barrier in memory.
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void barrier_made_too_late(const int *in, int *out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier bar;
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t == 0) init(&bar, blockDim.x);  // BUG
#ifndef BUGGY
  __syncthreads();
#endif
  tile[t] = in[64 * blockIdx.x + t];
  bar.arrive_and_wait();  // BUG
  out[64 * blockIdx.x + t] = tile[63 - t];
}
