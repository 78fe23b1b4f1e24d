// A bottom-up pass over a queue of who was not visited, with something wrong.
//
// level[v]: distance from the source, -1 where not visited yet. Who is in the queue and has a
//           neighbour at distance `depth` gets depth + 1; nothing else changes.
// queue:    all vertices that were not visited before this pass, queue_size of them.
// found:    how many vertices the pass finds; it is 0 before.
//
// In a row of vertices all levels are right. Elsewhere some are too high, and which ones depends on
// the order of threads.

#include "csr.cuh"

extern "C" __global__ void find_parents(const offset_t *offsets, const int *neighbours, int *level,
                                        const int *queue, int queue_size, int depth, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= queue_size) return;
  int v = queue[i];
  offset_t end = offsets[v + 1];
  #pragma unroll 1
  for (offset_t e = offsets[v]; e < end; e++) {
    int u = neighbours[e];
    // BEGIN SOLUTION
    //| if (level[u] >= 0) {  // u was visited: it is a parent
    //|   level[v] = level[u] + 1;
    // Who was found in this same pass has depth + 1, and is no parent.
    if (level[u] == depth) {
      level[v] = depth + 1;
      // END SOLUTION
      atomicAdd(found, 1);
      return;
    }
  }
}
