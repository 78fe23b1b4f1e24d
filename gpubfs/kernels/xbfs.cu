// xbfs: each level in the way that suits it, bottom-up in any of four ways to balance.
//
// Top-down, vertices are expanded by classes of degree. Those that are discovered are
// claimed and enqueued at once (scan-free), or only marked, if so many are expected
// that swaps would cost more than a scan (single-scan). After a bottom-up level its
// queue is gone through (no-queue). Bottom-up, double-scan makes the queue. The host
// decides by the edges of each frontier, which the kernels add up.

#include "bottom_up.cu"
#include "bottom_up_donate.cu"
#include "bottom_up_thread.cu"
#include "bottom_up_warp.cu"
#include "class_expansion.cuh"
#include "measuring_scan.cuh"
#include "single_scan.cu"

// level[v]:    distance from the source, -1 where not visited yet.
// frontier:    queue of the vertices at distance next_depth - 1.
// next:        queue that receives the vertices at distance next_depth, in any order.
// next_size:   their number.
// huge:        queue that receives those with at least `grid_degree` edges, huge_size
//              of them; the host resets it to 0. The kernels `…_huge` expand it.
// found:       as for add_claimed.

extern "C" __global__ void scan_free_by_class(const offset_t *offsets, const int *neighbours,
                                              int *level, const int *frontier,
                                              int frontier_size, int *next, int *next_size,
                                              int next_depth, int *huge, int *huge_size,
                                              int grid_degree, unsigned long long *found) {
  Expanding to = {offsets, neighbours, level, next, next_size, next_depth, false};
  int u = entry(frontier, frontier_size, blockIdx.x * blockDim.x + threadIdx.x);
  add_claimed(visit_by_class(to, u, huge, huge_size, grid_degree), found);
}

extern "C" __global__ void scan_free_huge(const offset_t *offsets, const int *neighbours,
                                          int *level, const int *huge, const int *huge_size,
                                          int *next, int *next_size, int next_depth,
                                          unsigned long long *found) {
  Expanding to = {offsets, neighbours, level, next, next_size, next_depth, false};
  add_claimed(visit_by_grid(to, huge, huge_size), found);
}

// queue: vertices among which those of the frontier are: a bottom-up level's queue.
extern "C" __global__ void no_queue_by_class(const offset_t *offsets, const int *neighbours,
                                             int *level, const int *queue, int queue_size,
                                             int *next, int *next_size, int next_depth,
                                             int *huge, int *huge_size, int grid_degree,
                                             unsigned long long *found) {
  Expanding to = {offsets, neighbours, level, next, next_size, next_depth, false};
  int u = entry(queue, queue_size, blockIdx.x * blockDim.x + threadIdx.x);
  if (u >= 0 && level[u] != next_depth - 1) u = -1;
  add_claimed(visit_by_class(to, u, huge, huge_size, grid_degree), found);
}

extern "C" __global__ void single_scan_by_class(const offset_t *offsets, const int *neighbours,
                                                int *level, const int *frontier,
                                                int frontier_size, int next_depth, int *huge,
                                                int *huge_size, int grid_degree) {
  Expanding to = {offsets, neighbours, level, nullptr, nullptr, next_depth, true};
  int u = entry(frontier, frontier_size, blockIdx.x * blockDim.x + threadIdx.x);
  visit_by_class(to, u, huge, huge_size, grid_degree);
}

extern "C" __global__ void single_scan_huge(const offset_t *offsets, const int *neighbours,
                                            int *level, const int *huge, const int *huge_size,
                                            int next_depth) {
  Expanding to = {offsets, neighbours, level, nullptr, nullptr, next_depth, true};
  visit_by_grid(to, huge, huge_size);
}
