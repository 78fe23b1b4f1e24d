// virtual-warp: groups of WIDTH lanes share a frontier vertex.
//
// The lanes of a group look at neighbouring edges, so that their loads fall into
// the same sectors, and a vertex of many edges takes WIDTH times fewer steps. A
// vertex of fewer than WIDTH edges leaves lanes without work: a good width is
// about the average degree.

#include "claim.cuh"
#include "visit.cuh"

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.
extern "C" __global__ void virtual_warp_expand(const offset_t *offsets, const int *neighbours,
                                               int *level, const int *frontier,
                                               int frontier_size, int *next, int *next_size,
                                               int next_depth) {
  int groups = gridDim.x * (blockDim.x / WIDTH);
  #pragma unroll 1
  for (int i = virtual_warp(); i < frontier_size; i += groups) {
    int u = frontier[i];  // one word for all lanes of the group
    claim_range(neighbours, offsets[u] + virtual_lane(), offsets[u + 1], WIDTH, level, next,
                next_size, next_depth);
  }
}
