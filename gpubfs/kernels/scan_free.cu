// scan-free: expand the frontier and enqueue the next one in the same kernel.
//
// One virtual warp per frontier vertex, by default a single thread. The
// compare-and-swap lets exactly one thread claim a vertex; that thread appends it
// to the next queue. No pass over all vertices is ever made, but every append
// hits the one counter *next_size.

#ifndef SCAN_FREE_CU
#define SCAN_FREE_CU

#include "visit.cuh"

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.

__device__ void claim_neighbours(const offset_t *offsets, const int *neighbours, int *level,
                                 int u, int lane, int *next, int *next_size, int next_depth) {
  offset_t end = offsets[u + 1];
  // Lanes with few neighbours wait here for the lane with the most.
  #pragma unroll 1
  for (offset_t e = offsets[u] + lane; e < end; e += WIDTH) {
    int v = neighbours[e];
    // The plain read spares visited vertices the atomic, and they are the most.
    if (level[v] < 0) {
      // Between the read and the swap another thread may have claimed v: the
      // swap then returns next_depth instead of -1.
      if (atomicCAS(&level[v], -1, next_depth) == -1) {
        next[atomicAdd(next_size, 1)] = v;
      }
    }
  }
}

extern "C" __global__ void scan_free(const offset_t *offsets, const int *neighbours,
                                     int *level, const int *frontier, int frontier_size,
                                     int *next, int *next_size, int next_depth) {
  int i = virtual_warp();
  if (i >= frontier_size) return;
  int lane = virtual_lane();
  claim_neighbours(offsets, neighbours, level, frontier[i], lane, next, next_size, next_depth);
}

#endif
