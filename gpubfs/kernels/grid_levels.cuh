// Level after level in one launch: the grid waits at a barrier of its own.

#pragma once

#include <cooperative_groups.h>

#include "level_expansion.cuh"

namespace cg = cooperative_groups;

// Expands levels as long as the frontier has more than `few` vertices, and at most
// `many`. Returns the depth of the first level that it leaves; each level is in the
// queue in which the one before it is not. The launch must be cooperative.
//
// frontier: queue of the vertices at distance `depth`.
// next:     queue for those at the distance after it.
// sizes[d]: how many vertices there are at distance d; 0 before. Each level has a tail
//           of its own, so that one barrier a level is enough: nothing is reset while
//           somebody may still read it.
__device__ int grid_levels(const offset_t *offsets, const int *neighbours, int *level,
                           int *frontier, int *next, int *sizes, int depth, int few,
                           int many) {
  cg::grid_group grid = cg::this_grid();
  int size = sizes[depth];
  #pragma unroll 1
  while (few < size && size <= many) {
    expand_queue(offsets, neighbours, level, frontier, size, next, &sizes[depth + 1],
                 depth + 1);
    grid.sync();
    depth++;
    size = sizes[depth];
    int *expanded = frontier;
    frontier = next;
    next = expanded;
  }
  return depth;
}
