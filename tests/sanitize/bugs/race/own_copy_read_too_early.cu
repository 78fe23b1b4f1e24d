// Each thread doubles the number that it has copied, for which it must wait.
#include <cuda_pipeline.h>

extern "C" __global__ void own_copy_read_too_early(const int *in, int *out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(tile + t, in + 64 * blockIdx.x + t, 4);  // BUG
#ifndef BUGGY
  __pipeline_commit();
#endif
  __pipeline_wait_prior(0);
  out[64 * blockIdx.x + t] = 2 * tile[t];  // BUG
}
