// cta-warp-scan: a block takes the large adjacencies of its tile one after another,
// a warp the middle ones, and the small ones are shared out by a prefix sum.

#include "cta_warp_scan.cuh"

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.
extern "C" __global__ void cta_warp_scan(const offset_t *offsets, const int *neighbours,
                                         int *level, const int *frontier, int frontier_size,
                                         int *next, int *next_size, int next_depth) {
  // Threads past the end of the frontier have no edges, but they help with others'.
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Adjacency own = adjacency_of(offsets, entry(frontier, frontier_size, i));
  own.begin = gather_by_block(neighbours, own.begin, own.end, level, next, next_size, next_depth);
  own.begin = gather_by_warp(neighbours, own.begin, own.end, level, next, next_size, next_depth);
  gather_by_scan(neighbours, own.begin, own.end, level, next, next_size, next_depth);
}
