// Exclusive prefix sum of one value per thread over the threads of a block.
//
// Two stages: the lanes of a warp add up through shuffles, then every thread
// adds the totals of the warps before its own, which it reads from shared
// memory. The block must be one-dimensional and made of full warps, and all of
// its threads must call the function together.

#pragma once

#include "warp_scan.cuh"

// Warps of the largest block, 1,024 threads; the host says where warps are not 32.
#ifndef MOST_WARPS
#define MOST_WARPS 32
#endif

// warp_totals: shared memory for blockDim.x / warpSize ints. The caller puts a
// barrier between this call and the next use of that memory.
__device__ int block_exclusive_sum(int value, int *warp_totals) {
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  int sum = warp_inclusive_sum(value);

  // The last lane's sum is its warp's total.
  if (lane == warpSize - 1) warp_totals[warp] = sum;
  __syncthreads();

  // All lanes of a warp read the same word, so shared memory broadcasts it.
  int before = 0;
  #pragma unroll 1
  for (int w = 0; w < warp; w++) before += warp_totals[w];

  return before + sum - value;
}
