// What lanes of a warp can tell each other without memory.

#include "warp_scan.cuh"

// Votes: whether any lane, or every lane, has a positive value, and which have.
// In `which`, bit n is set if lane n's value is positive.
extern "C" __global__ void votes(const int *value, int *any, int *all,
                                 unsigned *which) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool positive = value[i] > 0;
  any[i] = __any_sync(EVERY_LANE, positive);
  all[i] = __all_sync(EVERY_LANE, positive);
  which[i] = __ballot_sync(EVERY_LANE, positive);
}

// Shuffles: sum[i] is the sum of the warp's values up to the lane itself.
extern "C" __global__ void sums(const int *value, int *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sum[i] = warp_inclusive_sum(value[i]);
}
