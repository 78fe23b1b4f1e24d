// Turns each block's part of an array around, through shared memory that is filled asynchronously.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

extern "C" __global__ void copy_without_wait(const int *in, int *out) {
  __shared__ int tile[64];
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in + 64 * blockIdx.x, sizeof(int) * 64);  // BUG
#ifdef BUGGY
  __syncthreads();
#else
  cg::wait(block);
#endif
  out[64 * blockIdx.x + threadIdx.x] = tile[63 - threadIdx.x];  // BUG
}
