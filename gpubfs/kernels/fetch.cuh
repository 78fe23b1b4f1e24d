// Places in a queue for the lanes of a warp: at first by its number, then by a counter.

#pragma once

#include "warp_scan.cuh"

// Where the warp's places begin at first.
__device__ __forceinline__ int first_of_warp() {
  return blockIdx.x * blockDim.x + threadIdx.x / warpSize * warpSize;
}

// Where the warp's next places begin, or queue_size if none are left. All lanes must
// call, and all get the same.
// taken: how many places are taken, at first one for each thread of the grid.
__device__ __forceinline__ int fetch_for_warp(int *taken, int queue_size) {
  bool more = gridDim.x * blockDim.x < queue_size;  // than a place for each thread
  int first = queue_size;
  __syncwarp();  // lanes have left their loops one after another
  if (more && threadIdx.x % warpSize == 0) first = atomicAdd(taken, warpSize);
  return __shfl_sync(EVERY_LANE, first, 0);
}
