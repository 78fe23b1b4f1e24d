// wrong: check, then act
// loses: result
// says: level 2 has 1 vertex, but its queue has 2 entries

// scan-free: claim vertices and append them to the next queue.
//
// One thread per frontier vertex. Several threads may find the same vertex at
// the same time. Exactly one of them must append it.

#include "visit.cuh"

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.

extern "C" __global__ void scan_free(const offset_t *offsets, const int *neighbours,
                                     int *level, const int *frontier, int frontier_size,
                                     int *next, int *next_size, int next_depth) {
  int i = virtual_warp();
  if (i >= frontier_size) return;
  int u = frontier[i];
  offset_t end = offsets[u + 1];
  #pragma unroll 1
  for (offset_t e = offsets[u]; e < end; e++) {
    int v = neighbours[e];
    if (level[v] < 0) {
      level[v] = next_depth;
      next[atomicAdd(next_size, 1)] = v;
    }
  }
}
