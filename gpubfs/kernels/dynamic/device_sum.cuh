// Exclusive sums over an array of any length: a launch for the sums within tiles, the
// same again over the tiles' totals until one tile has them all, and a launch on the
// way back for each but the last.

#pragma once

#include "block_scan.cuh"

// The number of this thread in the grid, which may have more than 2^31 threads.
__device__ __forceinline__ long long grid_thread() {
  return (long long)blockIdx.x * blockDim.x + threadIdx.x;
}

// A block's tile has an element for each thread.
// values[i]: becomes the sum of the values before it in its tile.
// totals[b]: receives the sum of tile b.
extern "C" __global__ void sum_tiles(int *values, long long count, int *totals) {
  __shared__ int warp_totals[MOST_WARPS];
  long long i = grid_thread();
  int value = i < count ? values[i] : 0;
  int before = block_exclusive_sum(value, warp_totals);
  if (i < count) values[i] = before;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = before + value;
}

// values[i]: sums within tiles, which become sums within the whole array.
// totals[b]: the sum of the tiles before tile b.
extern "C" __global__ void add_totals(int *values, long long count, const int *totals) {
  long long i = grid_thread();
  if (i < count) values[i] += totals[blockIdx.x];
}
