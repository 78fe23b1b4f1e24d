// The maximum over the threads of a block, in the two stages of `block_scan.cuh`.

#pragma once

#include "block_scan.cuh"
#include "csr.cuh"

// The largest `value` of the block, in its first thread; the others get some value. No value is
// negative, and all threads of the block must call together.
__device__ offset_t block_maximum(offset_t value) {
  __shared__ offset_t warp_maxima[MOST_WARPS];
  for (int d = warpSize / 2; d > 0; d /= 2) {
    value = max(value, __shfl_down_sync(EVERY_LANE, value, d));
  }
  if (threadIdx.x % warpSize == 0) warp_maxima[threadIdx.x / warpSize] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    int warps = blockDim.x / warpSize;
    #pragma unroll 1
    for (int w = 1; w < warps; w++) value = max(value, warp_maxima[w]);
  }
  __syncthreads();  // the next call writes `warp_maxima` again
  return value;
}
