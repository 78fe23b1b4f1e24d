// Adds neighbours; each thread waits for what it has copied itself, and reads what another has.
#include <cuda_pipeline.h>

extern "C" __global__ void copy_waited_for_alone(const int *in, int *out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[64 * blockIdx.x + t], sizeof(int));  // BUG
  __pipeline_commit();
  __pipeline_wait_prior(0);
#ifndef BUGGY
  __syncthreads();
#endif
  out[64 * blockIdx.x + t] = tile[t] + tile[(t + 1) % 64];  // BUG
}
