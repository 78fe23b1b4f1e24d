// double-scan: scan the status array twice, a whole warp at each segment.
//
// Each thread is responsible for one segment, but no thread walks along its
// own: the lanes of a warp scan the segments of all of them together, so that
// every load is of neighbouring words. A ballot tells the responsible thread
// which of the warp's vertices belong into the queue.

#ifndef DOUBLE_SCAN_CU
#define DOUBLE_SCAN_CU

#include "bottom_up.cuh"  // what the queues are for: bottom-up levels,
#include "scan_free.cu"   // and the top-down levels before and after
#include "segments.cuh"

// level[v]: distance from the source, -1 where not visited yet.
// wanted:   what the queue is made of: -1 for the vertices not visited yet (the
//           frontier of a bottom-up level), or a distance.
// queue:    receives these vertices in ascending order.

// The part of this thread's segment that is `turn` warps' widths from its
// beginning: bit b is set if its b-th vertex is wanted.
__device__ unsigned scan_together(const int *level, int wanted, Segment own, int turn) {
  int lane = threadIdx.x % warpSize;
  unsigned mine = 0;
  for (int responsible = 0; responsible < warpSize; responsible++) {
    // The responsible lane tells the others where its segment lies.
    int begin = __shfl_sync(EVERY_LANE, own.begin, responsible);
    int end = __shfl_sync(EVERY_LANE, own.end, responsible);
    int v = begin + turn * warpSize + lane;
    bool found = v < end && level[v] == wanted;
    unsigned bits = __ballot_sync(EVERY_LANE, found);
    if (lane == responsible) mine = bits;
  }
  return mine;
}

// How many turns the longest of the warp's segments takes: the first lane's.
__device__ int turns(Segment own) {
  int length = __shfl_sync(EVERY_LANE, own.end - own.begin, 0);
  return (length + warpSize - 1) / warpSize;
}

// Scan I counts.
extern "C" __global__ void double_scan_count(const int *level, int vertices, int wanted,
                                             int *place, int *block_totals) {
  Segment own = own_segment(vertices);
  int count = 0;
  int all = turns(own);
  #pragma unroll 1
  for (int turn = 0; turn < all; turn++) {
    count += __popc(scan_together(level, wanted, own, turn));
  }
  store_counts(count, place, block_totals);
}

// Scan II puts the vertices where the counts say.
extern "C" __global__ void double_scan_place(const int *level, int vertices, int wanted,
                                             const int *place, const int *block_totals,
                                             int *queue) {
  Segment own = own_segment(vertices);
  int all = turns(own);
  if (all == 0) return;  // the segments of this warp are empty
  int slot = block_totals[blockIdx.x] + place[blockIdx.x * blockDim.x + threadIdx.x];
  #pragma unroll 1
  for (int turn = 0; turn < all; turn++) {
    unsigned bits = scan_together(level, wanted, own, turn);
    #pragma unroll 1
    while (bits != 0) {
      int first = __ffs(bits) - 1;
      queue[slot] = own.begin + turn * warpSize + first;
      slot++;
      bits &= bits - 1;  // without the lowest of them
    }
  }
}

#endif
