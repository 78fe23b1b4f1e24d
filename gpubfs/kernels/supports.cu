// supports: heavy vertices go to warps, blocks and bins, the rest to a basic mapping.
//
// A basic mapping alone makes a group of lanes, or a warp, go along the longest
// adjacency. Supports take the vertices that have more edges than a warp has lanes,
// than a block has threads, than half the GPU has threads, and give them as much.

#define BASIC_WARP_SHUFFLE 0
#define BASIC_SCAN_BASED 1
#ifndef BASIC
#define BASIC BASIC_WARP_SHUFFLE
#endif

#if BASIC == BASIC_SCAN_BASED
#include "scanned_edges.cuh"
#else
#include "shuffled_groups.cuh"
#endif
#include "supports.cuh"

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.
// Dynamic shared memory: SLOTS offset_t for each thread.
extern "C" __global__ void supports(const offset_t *offsets, const int *neighbours, int *level,
                                    const int *frontier, int frontier_size, int *next,
                                    int *next_size, int next_depth BIN_PARAMETERS) {
  extern __shared__ offset_t slots[];
  Expansion to = {neighbours, level, next, next_size, next_depth};
  expand_frontier(offsets, frontier, frontier_size, to, slots BIN_ARGUMENTS);
}
