// What techniques share in which every lane loads a frontier vertex of its own.

#pragma once

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

// A lane's vertex and the positions of those of its edges that are left to be
// looked at: [begin, end).
struct FrontierVertex {
  int vertex;
  offset_t begin;
  offset_t end;
};

// The frontier's i-th vertex. Lanes past the end have no edges: they stay, for the
// others' shuffles, ballots and barriers.
__device__ FrontierVertex frontier_vertex(const offset_t *offsets, const int *frontier,
                                          int frontier_size, int i) {
  FrontierVertex own = {-1, 0, 0};
  if (i < frontier_size) {
    own.vertex = frontier[i];
    own.end = offsets[own.vertex + 1];
    own.begin = offsets[own.vertex];
  }
  return own;
}

// Whether any lane of the warp has edges. Warps past the end of the frontier have none,
// nor have those whose vertices others have taken. All lanes must call together.
__device__ bool any_edges(FrontierVertex own) {
  return __any_sync(EVERY_LANE, own.begin < own.end);
}

// Looks at the edges first, first + stride, … before `end`. The lanes of a warp
// that have called together leave together.
__device__ void look_at(Expansion to, offset_t first, offset_t end, int stride) {
  claim_range(to.neighbours, first, end, stride, to.level, to.next, to.next_size,
              to.next_depth);
  __syncwarp();
}
