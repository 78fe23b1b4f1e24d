// wrong: persistent as it is
// loses: limit
// says: more than 7, which is 0.05 of persistent on path:150

#include <cooperative_groups.h>

#include "level_expansion.cuh"

namespace cg = cooperative_groups;

extern "C" __global__ void persistent(const offset_t *offsets, const int *neighbours,
                                      int *level, int *frontier, int *next, int *sizes,
                                      int vertices) {
  cg::grid_group grid = cg::this_grid();
  int size = 1;
  #pragma unroll 1
  for (int depth = 0; size > 0; depth++) {
    expand_queue(offsets, neighbours, level, frontier, size, next, &sizes[depth + 1],
                 depth + 1);
    grid.sync();
    size = sizes[depth + 1];
    int *expanded = frontier;
    frontier = next;
    next = expanded;
  }
}
