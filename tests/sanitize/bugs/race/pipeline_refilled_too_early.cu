// Adds up the stages of an array by a pipeline of the block, whose two buffers are used in turn.
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

extern "C" __global__ void pipeline_refilled_too_early(const int *in, int *out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int buffer[2][64];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int t = threadIdx.x, sum = 0;
  in += 256 * blockIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(block, buffer[0], in, sizeof(int) * 64, pipe);
  pipe.producer_commit();
  for (int stage = 0; stage < 4; stage++) {
    if (stage < 3) {
#ifndef BUGGY
      pipe.producer_acquire();
#endif
      int *next = buffer[(stage + 1) % 2];
      cuda::memcpy_async(block, next, in + 64 * (stage + 1), sizeof(int) * 64, pipe);  // BUG
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += buffer[stage % 2][63 - t];  // BUG
    pipe.consumer_release();
  }
  out[64 * blockIdx.x + t] = sum;
}
