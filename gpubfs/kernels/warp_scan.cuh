// Sums over the lanes of a warp through shuffles. All lanes must call together.

#pragma once

#define EVERY_LANE 0xffffffffu

// The sum of `value` over the lanes up to this one, itself included.
__device__ int warp_inclusive_sum(int value) {
  int lane = threadIdx.x % warpSize;
  // After the turn with distance d, sum covers the 2 * d lanes up to this one.
  int sum = value;
  for (int d = 1; d < warpSize; d *= 2) {
    int left = __shfl_up_sync(EVERY_LANE, sum, d);
    if (lane >= d) sum += left;
  }
  return sum;
}

// Adds the `value` of all lanes to *total: one atomic for a warp, or none.
__device__ void warp_add(unsigned long long *total, unsigned long long value) {
  for (int d = warpSize / 2; d > 0; d /= 2) {
    value += __shfl_down_sync(EVERY_LANE, value, d);
  }
  if (threadIdx.x % warpSize == 0 && value > 0) atomicAdd(total, value);
}
