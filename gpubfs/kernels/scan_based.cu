// scan-based: the edges of a warp's vertices side by side, and a lane for each.
//
// A prefix sum over the degrees of its vertices tells a warp where the positions of
// their edges go in its slice of shared memory. Neighbouring lanes then look at
// neighbouring positions, whichever vertices these belong to: all lanes have edges
// as long as the warp has.

#include "scanned_edges.cuh"
#include "supports.cuh"

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.
// Dynamic shared memory: ITEMS offset_t for each thread.
extern "C" __global__ void scan_based(const offset_t *offsets, const int *neighbours,
                                      int *level, const int *frontier, int frontier_size,
                                      int *next, int *next_size,
                                      int next_depth BIN_PARAMETERS) {
  extern __shared__ offset_t slots[];
  Expansion to = {neighbours, level, next, next_size, next_depth};
  expand_frontier(offsets, frontier, frontier_size, to, slots BIN_ARGUMENTS);
}
