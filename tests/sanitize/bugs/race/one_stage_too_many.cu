// Sums the stages of an array by two buffers: the next stage is copied while this one is summed.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
#define STAGES 4
#ifdef BUGGY
#define LAST 1
#else
#define LAST 0
#endif

extern "C" __global__ void one_stage_too_many(const int *in, int *out) {
  __shared__ int buffer[2][64];
  auto block = cg::this_thread_block();
  int t = threadIdx.x, sum = 0;
  in += STAGES * 64 * blockIdx.x;
  cg::memcpy_async(block, buffer[0], in, sizeof(int) * 64);  // BUG
  for (int stage = 0; stage < STAGES; stage++) {
    if (stage + 1 < STAGES) {
      const int *next = in + 64 * (stage + 1);
      cg::memcpy_async(block, buffer[(stage + 1) % 2], next, sizeof(int) * 64);  // BUG
      cg::wait_prior<1>(block);
    } else {
      cg::wait_prior<LAST>(block);
    }
    sum += buffer[stage % 2][63 - t];  // BUG
    block.sync();
  }
  out[64 * blockIdx.x + t] = sum;
}
