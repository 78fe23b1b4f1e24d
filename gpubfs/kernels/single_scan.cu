// single-scan: expand without atomics, then scan the status array once.
//
// The expansion only marks vertices, and marking one twice is harmless, so it
// needs no compare-and-swap. The scan then finds what was marked and enqueues
// it. It looks at all vertices, however few were marked.

#include "enqueue.cuh"
#include "visit.cuh"

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.

// One virtual warp per frontier vertex.
extern "C" __global__ void single_scan_expand(const offset_t *offsets, const int *neighbours,
                                              int *level, const int *frontier,
                                              int frontier_size, int next_depth) {
  int i = virtual_warp();
  if (i < frontier_size) {
    mark_neighbours(offsets, neighbours, level, frontier[i], virtual_lane(), WIDTH, next_depth);
  }
}

// One thread per vertex, so that a warp's loads lie side by side.
extern "C" __global__ void single_scan_enqueue(const int *level, int vertices, int *next,
                                               int *next_size, int next_depth) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool found = v < vertices && level[v] == next_depth;
  enqueue(next, next_size, v, found);
}
