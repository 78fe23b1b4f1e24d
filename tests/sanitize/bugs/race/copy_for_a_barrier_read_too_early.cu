// Turns the numbers of each block round in a tile, to which they are copied until a phase ends.
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;

extern "C" __global__ void copy_for_a_barrier_read_too_early(const int *in, int *out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ alignas(16) int tile[64];
  auto block = cg::this_thread_block();
  int t = threadIdx.x;
  if (t == 0) init(&bar, block.size());
  block.sync();
  const int *part = in + 64 * blockIdx.x;
  cuda::memcpy_async(block, tile, part, cuda::aligned_size_t<16>(sizeof(int) * 64), bar);  // BUG
#ifndef BUGGY
  bar.arrive_and_wait();
#endif
  out[64 * blockIdx.x + t] = tile[63 - t];  // BUG
#ifdef BUGGY
  bar.arrive_and_wait();
#endif
}
