// Sums over the threads of a block.
//
// Two stages: the lanes of a warp add up through shuffles, then warps through
// shared memory. The block must be one-dimensional and made of full warps, and
// all of its threads must call together.

#pragma once

#include "warp_scan.cuh"

// Warps of the largest block, 1,024 threads; the host says where warps are not 32.
#ifndef MOST_WARPS
#define MOST_WARPS 32
#endif

// The sum of `value` over the threads before this one.
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

// Adds the `value` of all threads of the block to *total: one atomic, or none.
__device__ void block_add(unsigned long long *total, unsigned long long value) {
  __shared__ unsigned long long sums[MOST_WARPS];
  for (int d = warpSize / 2; d > 0; d /= 2) {
    value += __shfl_down_sync(EVERY_LANE, value, d);
  }
  if (threadIdx.x % warpSize == 0) sums[threadIdx.x / warpSize] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned long long sum = 0;
    #pragma unroll 1
    for (int w = 0; w < blockDim.x / warpSize; w++) sum += sums[w];
    if (sum > 0) atomicAdd(total, sum);
  }
  __syncthreads();  // the next call writes `sums` again
}
