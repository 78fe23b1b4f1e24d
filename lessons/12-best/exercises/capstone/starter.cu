// A whole search in one cooperative launch, in the place of `persistent`.
//
// level[v]: distance from the source, -1 where not visited yet; the source has 0.
// frontier: a queue with room for all vertices; it holds the source.
// next:     another one.
// sizes[d]: vertices + 1 ints: 1, then 0. Use them, and the queues, as you like.
// vertices: how many there are. Each edge is there in both directions.
//
// At the end all levels must be right. Nothing is said about how. The graph may be a
// row, a road map or a scale-free graph, and is different for each case; limits are
// shares of what `persistent` counts on it. The starter is `persistent` in one file.

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
