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
