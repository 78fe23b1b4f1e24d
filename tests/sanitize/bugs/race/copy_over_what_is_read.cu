// Sums the stages of an array by one buffer, which is copied to again when all have read it.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;

extern "C" __global__ void copy_over_what_is_read(const int *in, int *out) {
  __shared__ int buffer[64];
  auto block = cg::this_thread_block();
  int t = threadIdx.x, sum = 0;
  in += 256 * blockIdx.x;
  for (int stage = 0; stage < 4; stage++) {
    cg::memcpy_async(block, buffer, in + 64 * stage, sizeof(int) * 64);  // BUG
    cg::wait(block);
    sum += buffer[63 - t];  // BUG
#ifndef BUGGY
    block.sync();
#endif
  }
  out[64 * blockIdx.x + t] = sum;
}
