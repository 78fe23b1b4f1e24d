// Turns the numbers of each block round in a tile, whose threads meet at a barrier in memory.
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void memory_barrier_for_one_too_many(const int *in, int *out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier bar;
  __shared__ int tile[64];
  int t = threadIdx.x;
#ifdef BUGGY
  if (t == 0) init(&bar, blockDim.x + 1);
#else
  if (t == 0) init(&bar, blockDim.x);
#endif
  __syncthreads();
  tile[t] = in[64 * blockIdx.x + t];
  bar.arrive_and_wait();  // BUG
  out[64 * blockIdx.x + t] = tile[63 - t];
}
