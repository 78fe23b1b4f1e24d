// strided-scan: scan the status array twice, each thread along its own segment.
//
// The contrast to double-scan. The queue is the same, sorted, by the same two
// scans and prefix sum, but neighbouring lanes read words that lie a segment
// apart, so that one load needs as many sectors as it has lanes.

#include "bottom_up.cuh"  // what the queues are for: bottom-up levels,
#include "scan_free.cu"   // and the top-down levels before and after
#include "segments.cuh"

// level[v]: distance from the source, -1 where not visited yet.
// wanted:   what the queue is made of: -1 for the vertices not visited yet (the
//           frontier of a bottom-up level), or a distance.
// queue:    receives these vertices in ascending order.

// Scan I counts.
extern "C" __global__ void strided_scan_count(const int *level, int vertices, int wanted,
                                              int *place, int *block_totals) {
  Segment own = own_segment(vertices);
  int count = 0;
  #pragma unroll 1
  for (int v = own.begin; v < own.end; v++) {
    if (level[v] == wanted) count++;
  }
  store_counts(count, place, block_totals);
}

// Scan II puts the vertices where the counts say.
extern "C" __global__ void strided_scan_place(const int *level, int vertices, int wanted,
                                              const int *place, const int *block_totals,
                                              int *queue) {
  Segment own = own_segment(vertices);
  int slot = block_totals[blockIdx.x] + place[blockIdx.x * blockDim.x + threadIdx.x];
  #pragma unroll 1
  for (int v = own.begin; v < own.end; v++) {
    if (level[v] == wanted) {
      queue[slot] = v;
      slot++;
    }
  }
}
