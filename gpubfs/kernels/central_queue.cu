// central-queue: scan the status array into one queue, then visit the queue.
//
// Every frontier vertex is appended by an addition to the one tail, so a level
// makes as many atomics on one address as it has vertices. What that buys: the
// queue is dense, and any number of lanes can share a vertex in the visit.

#include <cooperative_groups.h>

#include "enqueue.cuh"
#include "visit.cuh"

namespace cg = cooperative_groups;

// level[v]:  distance from the source, -1 where not visited yet.
// depth:     distance of the frontier that is gathered and visited.
// queue:     the frontier's vertices, in any order.
// size:      how many they are, and so the queue's tail.

// Appends the vertices at distance `depth` to the queue. The grid walks over
// the vertices; a block's threads stay together, because they may enqueue
// together.
__device__ void gather(const int *level, int vertices, int depth, int *queue, int *size) {
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int first = blockIdx.x * blockDim.x; first < vertices; first += threads) {
    int v = first + threadIdx.x;
    bool found = v < vertices && level[v] == depth;
    enqueue(queue, size, v, found);
  }
}

// Marks the neighbours of the queue's vertices, a virtual warp to a vertex.
__device__ void visit(const offset_t *offsets, const int *neighbours, int *level,
                      const int *queue, int size, int depth) {
  int virtual_warps = gridDim.x * (blockDim.x / WIDTH);
  #pragma unroll 1
  for (int i = virtual_warp(); i < size; i += virtual_warps) {
    mark_neighbours(offsets, neighbours, level, queue[i], virtual_lane(), WIDTH, depth + 1);
  }
}

// loop=host: two launches a level.
extern "C" __global__ void central_queue_gather(const int *level, int vertices, int depth,
                                                int *queue, int *size) {
  gather(level, vertices, depth, queue, size);
}

extern "C" __global__ void central_queue_visit(const offset_t *offsets, const int *neighbours,
                                               int *level, const int *queue, int size,
                                               int depth) {
  visit(offsets, neighbours, level, queue, size, depth);
}

// loop=persistent: one cooperative launch, in which the grid waits twice a level.
// The queue is never reset: it has room for all vertices, and a level's stand
// behind those of the levels before it. So it has one tail in the whole search.
extern "C" __global__ void central_queue_persistent(const offset_t *offsets,
                                                    const int *neighbours, int *level,
                                                    int vertices, int *queue, int *size) {
  cg::grid_group grid = cg::this_grid();
  int first = 0;
  #pragma unroll 1
  for (int depth = 0;; depth++) {
    gather(level, vertices, depth, queue, size);
    grid.sync();
    int end = *size;
    if (end == first) return;
    visit(offsets, neighbours, level, queue + first, end - first, depth);
    first = end;
    grid.sync();
  }
}
