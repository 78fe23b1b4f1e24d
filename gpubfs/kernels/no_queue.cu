// no-queue: after a bottom-up level, go top-down with the queue that is there.
//
// The queue of a bottom-up level holds all vertices that were not visited
// before it, so it holds those that the level visited: the next frontier. A
// look at the status tells them from the rest, and no queue need be made.

#include "double_scan.cu"

// One virtual warp per vertex of the bottom-up level's queue.
// depth: the distance of the vertices that are discovered now.
extern "C" __global__ void no_queue_expand(const offset_t *offsets, const int *neighbours,
                                           int *level, const int *queue, int queue_size,
                                           int *next, int *next_size, int depth) {
  int i = virtual_warp();
  if (i >= queue_size) return;
  int u = queue[i];
  // Most of the queue may be vertices that are still not visited.
  if (level[u] != depth - 1) return;
  claim_neighbours(offsets, neighbours, level, u, virtual_lane(), next, next_size, depth);
}
