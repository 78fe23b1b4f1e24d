// right: shuffles in the place of ballots, one for each lane's bit

// double-scan's scans, but for the line of thought that makes their loads
// coalesced: write scan_together.
//
// Each thread is responsible for one segment of the status array. No thread
// walks along its own: the lanes of a warp scan the segments of all of them, one
// after the other, and a ballot tells the responsible thread what they found.

#include "bottom_up.cuh"  // what the queues are for: bottom-up levels,
#include "scan_free.cu"   // and the top-down levels before and after
#include "segments.cuh"   // struct Segment, own_segment, store_counts

// level[v]: distance from the source, -1 where not visited yet.
// wanted:   what the queue is made of: -1 for the vertices not visited yet, or a
//           distance.
// queue:    receives these vertices in ascending order.

// The part of this thread's segment that is `turn` warps' widths from its
// beginning, vertices own.begin + turn * warpSize and the 31 after it: bit b is
// set if the b-th of them is before own.end and wanted. All lanes call together.
__device__ unsigned scan_together(const int *level, int wanted, Segment own, int turn) {
  int lane = threadIdx.x % warpSize;
  unsigned mine = 0;
  for (int responsible = 0; responsible < warpSize; responsible++) {
    // The responsible lane tells the others where its segment lies.
    int begin = __shfl_sync(EVERY_LANE, own.begin, responsible);
    int end = __shfl_sync(EVERY_LANE, own.end, responsible);
    int v = begin + turn * warpSize + lane;
    bool found = v < end && level[v] == wanted;
    unsigned bit = found ? 1u << lane : 0;
    for (int other = 0; other < warpSize; other++) {
      unsigned bits = __shfl_sync(EVERY_LANE, bit, other);
      if (lane == responsible) mine |= bits;
    }
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
  int slot = block_totals[blockIdx.x] + place[blockIdx.x * blockDim.x + threadIdx.x];
  int all = turns(own);
  for (int turn = 0; turn < all; turn++) {
    unsigned bits = scan_together(level, wanted, own, turn);
    while (bits != 0) {
      int first = __ffs(bits) - 1;
      queue[slot] = own.begin + turn * warpSize + first;
      slot++;
      bits &= bits - 1;  // without the lowest of them
    }
  }
}
