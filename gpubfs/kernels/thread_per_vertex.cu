// thread-per-vertex: a thread goes through all edges of its frontier vertex.
//
// The plainest way to share out a level's work, and what every other one is
// measured against: a warp takes as long as its vertex with the most edges, and
// lanes that walk along different adjacencies load from different sectors.

#include "claim.cuh"

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.
extern "C" __global__ void thread_per_vertex(const offset_t *offsets, const int *neighbours,
                                             int *level, const int *frontier,
                                             int frontier_size, int *next, int *next_size,
                                             int next_depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= frontier_size) return;
  int u = frontier[i];
  claim_range(neighbours, offsets[u], offsets[u + 1], 1, level, next, next_size, next_depth);
}
