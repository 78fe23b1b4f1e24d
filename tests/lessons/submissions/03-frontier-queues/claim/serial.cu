// wrong: serial: one thread walks over the whole frontier
// loses: limit
// says: load_requests is

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
  if (virtual_warp() > 0) return;
  for (int i = 0; i < frontier_size; i++) {
  int u = frontier[i];
  offset_t end = offsets[u + 1];
  #pragma unroll 1
  for (offset_t e = offsets[u]; e < end; e++) {
    int v = neighbours[e];
    // Most neighbours are visited: a plain read spares them the atomic.
    if (level[v] < 0) {
      // The swap returns what it found: -1 to the first thread that comes, and
      // next_depth to all others.
      if (atomicCAS(&level[v], -1, next_depth) == -1) {
        next[atomicAdd(next_size, 1)] = v;
      }
    }
  }
  }
}
