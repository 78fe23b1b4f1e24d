// The first of double-scan's two scans, which also measures a level on its way.
//
// After single-scan nobody knows which vertices it has marked, nor how many edges they
// have, and on that depends what comes next. If it is a bottom-up level, the same scan
// has already counted the vertices of its queue.

#pragma once

#include "double_scan.cu"

// wanted, place, block_totals: as for double_scan_count.
// depth:    the level that is measured.
// found[0]: receives how many vertices it has, found[1]: how many edges these have; the
//           host resets both.
extern "C" __global__ void double_scan_measure(const int *level, int vertices, int wanted,
                                               int *place, int *block_totals,
                                               const offset_t *offsets, int depth,
                                               unsigned long long *found) {
  Segment own = own_segment(vertices);
  int lane = threadIdx.x % warpSize;
  int count = 0;
  unsigned long long members = 0;
  unsigned long long edges = 0;
  int all = turns(own);
  #pragma unroll 1
  for (int turn = 0; turn < all; turn++) {
    for (int responsible = 0; responsible < warpSize; responsible++) {
      int begin = __shfl_sync(EVERY_LANE, own.begin, responsible);
      int end = __shfl_sync(EVERY_LANE, own.end, responsible);
      int v = begin + turn * warpSize + lane;
      bool inside = v < end;
      int status = inside ? level[v] : 0;
      unsigned bits = __ballot_sync(EVERY_LANE, inside && status == wanted);
      if (lane == responsible) count += __popc(bits);
      if (inside && status == depth) {
        offset_t last = offsets[v + 1];
        edges += last - offsets[v];
        members++;
      }
      __syncwarp();
    }
  }
  store_counts(count, place, block_totals);
  block_add(&found[0], members);
  block_add(&found[1], edges);
}
