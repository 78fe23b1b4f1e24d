// no-queue: after a bottom-up level, go top-down with the queue that is there.
//
// The queue of a bottom-up level holds all vertices that were not visited
// before it, so it holds those that the level visited: the next frontier. A
// look at the status tells them from the rest, and no queue need be made.

#include "double_scan.cu"

// One thread per vertex of the bottom-up level's queue looks at the status, then
// a virtual warp expands those of its lanes' vertices that were just visited.
// next_depth: the distance of the vertices that are discovered now.
extern "C" __global__ void no_queue_expand(const offset_t *offsets, const int *neighbours,
                                           int *level, const int *queue, int queue_size,
                                           int *next, int *next_size, int next_depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int own = -1;  // this thread's vertex, if it is in the frontier
  if (i < queue_size) {
    int u = queue[i];
    if (level[u] == next_depth - 1) own = u;
  }
  for (int turn = 0; turn < WIDTH; turn++) {
    int u = __shfl_sync(EVERY_LANE, own, turn, WIDTH);
    if (u >= 0) {
      int lane = virtual_lane();
      claim_neighbours(offsets, neighbours, level, u, lane, next, next_size, next_depth);
    }
  }
}
