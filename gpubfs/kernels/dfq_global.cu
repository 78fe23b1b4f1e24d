// dfq-global: a decentralized frontier queue whose sub-queues are in global memory.
//
// They take blocks * capacity vertices, whatever the graph.

#include "dfq.cuh"

// sub_queues: `capacity` vertices for each block.
// sizes:      for each block, how many vertices its sub-queue has, and how many it
//             has reserved room for; 0 at the start.
extern "C" __global__ void dfq_global(const offset_t *offsets, const int *neighbours,
                                      int *level, int vertices, int *found, int *sub_queues,
                                      int *sizes, int capacity) {
  SubQueue own = {sub_queues + blockIdx.x * capacity, &sizes[2 * blockIdx.x],
                  &sizes[2 * blockIdx.x + 1], capacity};
  dfq_search(offsets, neighbours, level, vertices, found, own);
}
