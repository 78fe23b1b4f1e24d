// What techniques share in which every lane loads a frontier vertex of its own.

#pragma once

#include "adjacency.cuh"
#include "claim.cuh"
#include "warp_scan.cuh"

// Where an expansion finds neighbours, and where those go that it discovers.
struct Expansion {
  const int *neighbours;
  int *level;      // distance from the source, -1 where not visited yet
  int *next;       // queue of the vertices that are discovered
  int *next_size;  // their number
  int next_depth;  // their distance
};

// Whether any lane of the warp has edges. Warps past the end of the frontier have none,
// nor have those whose vertices others have taken. All lanes must call together.
__device__ bool any_edges(Adjacency own) {
  return __any_sync(EVERY_LANE, own.begin < own.end);
}

// Looks at the edges first, first + stride, … before `end`. The lanes of a warp
// that have called together leave together.
__device__ void look_at(Expansion to, offset_t first, offset_t end, int stride) {
  claim_range(to.neighbours, first, end, stride, to.level, to.next, to.next_size,
              to.next_depth);
  __syncwarp();
}

// Room for this thread's warp in `slots`, which has `each` elements for every thread.
__device__ offset_t *warp_slice(offset_t *slots, int each) {
  int warp = threadIdx.x / warpSize;
  return &slots[warp * warpSize * each];
}
