// right: one addition for the lanes that are together

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
    bool claimed = false;
    if (level[v] == -1) claimed = atomicCAS(&level[v], -1, next_depth) == -1;
    // Lanes that claimed something together take their places together.
    unsigned mask = __activemask();
    unsigned those = __ballot_sync(mask, claimed);
    if (claimed) {
      int lane = threadIdx.x % warpSize;
      int leader = __ffs(those) - 1;
      int start = 0;
      if (lane == leader) start = atomicAdd(next_size, __popc(those));
      start = __shfl_sync(those, start, leader);
      next[start + __popc(those & ((1u << lane) - 1))] = v;
    }
  }
}
