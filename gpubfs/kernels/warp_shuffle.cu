// warp-shuffle: every lane loads a vertex, and groups of WIDTH lanes take them in turn.
//
// The lanes of a group that go along one adjacency together, as in virtual_warp.cu,
// need its offsets only. So every lane loads a different vertex with its offsets,
// once, and the group gets them by shuffles: the frontier is loaded by whole warps,
// and each of its vertices by one lane.

#include "shuffled_groups.cuh"
#include "supports.cuh"

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.
// Dynamic shared memory, if warps or blocks gather: two offset_t for each thread.
extern "C" __global__ void warp_shuffle(const offset_t *offsets, const int *neighbours,
                                        int *level, const int *frontier, int frontier_size,
                                        int *next, int *next_size,
                                        int next_depth BIN_PARAMETERS) {
  extern __shared__ offset_t slots[];
  Expansion to = {neighbours, level, next, next_size, next_depth};
  expand_frontier(offsets, frontier, frontier_size, to, slots BIN_ARGUMENTS);
}
