// Binary search among the values that the lanes of a warp hold.
//
// Busato and Bombieri's Algorithm 1, Knuth's uniform binary search: every lane
// takes the same steps whatever it looks for, and no table says how long they
// are, because a warp's lanes are a power of two.

#pragma once

#include "warp_scan.cuh"

// What lanes hold that have no value: above all that is looked for.
#define NO_VALUE 0xffffffffu

// The last lane whose `value` is not above `searched`. Values ascend from lane to
// lane; of equal ones, the last lane's counts. The first must not be above
// `searched`, which each lane chooses for itself. All lanes must call together.
__device__ int warp_search(unsigned value, unsigned searched) {
  int low = 0;
  for (int half = warpSize / 2; half > 0; half /= 2) {
    unsigned middle = __shfl_sync(EVERY_LANE, value, low + half);
    if (searched >= middle) low += half;
  }
  return low;
}
