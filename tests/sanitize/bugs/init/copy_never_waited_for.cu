// Turns each block's part of an array around, of which the copy was put into no batch.
#include <cuda_pipeline.h>

extern "C" __global__ void copy_never_waited_for(const int *in, int *out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[64 * blockIdx.x + t], sizeof(int));
#ifndef BUGGY
  __pipeline_commit();
#endif
  __pipeline_wait_prior(0);
  __syncthreads();
  out[64 * blockIdx.x + t] = tile[63 - t];  // BUG
}
