// Which vertices of a frontier are heavy, with more neighbours than `threshold`?
// Each warp packs its own to the front: heavy[first of the warp + place].
// place[i] is how many lanes below have a heavy vertex.
//
// Busato and Bombieri, "Efficient load balancing techniques for graph traversal
// applications on GPUs", section 3.4, find the places by a binary prefix sum of
// four instructions (Figure 4): predicate, ballot, and with a mask, popc.

#include "warp_scan.cuh"

extern "C" __global__ void by_ballot(const int *degree, int threshold,
                                     int *place, int *heavy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % warpSize;
  // Lane n's lower mask has the n bits of the lanes below it. A GPU keeps it in
  // a register of its own, which PTX calls %lanemask_lt.
  unsigned lower = (1u << lane) - 1;
  int predicate = degree[i] > threshold;
  unsigned ballot = __ballot_sync(EVERY_LANE, predicate);
  unsigned below = ballot & lower;
  int before = __popc(below);
  place[i] = before;
  if (predicate) heavy[i - lane + before] = i;
}

// The same by the sum of shuffles that any numbers could be added with.
extern "C" __global__ void by_shuffles(const int *degree, int threshold,
                                       int *place, int *heavy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % warpSize;
  int predicate = degree[i] > threshold;
  int before = warp_inclusive_sum(predicate) - predicate;
  place[i] = before;
  if (predicate) heavy[i - lane + before] = i;
}
