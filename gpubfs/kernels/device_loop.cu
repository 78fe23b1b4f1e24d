// device-loop: a kernel of one thread goes from level to level, and the host waits.
//
// The thread launches a level's expansion and then itself, as a tail launch: that
// begins when the grid which launched it, and all that this grid launched besides,
// have ended. So it is the barrier between two levels, and the host reads nothing.

// The technique whose kernel expands a level.
#define EXPANSION_HOST_LOOP 0
#define EXPANSION_STATUS_ARRAY 1
#define EXPANSION_BLOCK_PREFIX_SUM 2
#ifndef EXPANSION
#define EXPANSION EXPANSION_HOST_LOOP
#endif

#if EXPANSION == EXPANSION_STATUS_ARRAY
#include "status_array.cu"
#elif EXPANSION == EXPANSION_BLOCK_PREFIX_SUM
#include "block_prefix_sum.cu"
#else
#include "host_loop.cu"
#endif

// A level that is not launched would end the search with levels missing, and nobody
// but the thread that launches it is told.
__device__ void check_launch() { assert(cudaGetLastError() == cudaSuccess); }

#if EXPANSION == EXPANSION_STATUS_ARRAY

// level[v]: distance from the source, -1 where not visited yet.
// found[d]: 1 if there are vertices at distance d, 0 before. One more than vertices.
// block:    threads of a block of the expansion.
// depth:    the distance of the frontier.
extern "C" __global__ void device_loop_naive(const offset_t *offsets, const int *neighbours,
                                             int *level, int vertices, int *found, int block,
                                             int depth) {
  if (found[depth] == 0) return;
  int blocks = (vertices + block - 1) / block;
  status_array<<<blocks, block, 0, cudaStreamFireAndForget>>>(offsets, neighbours, level,
                                                              vertices, depth,
                                                              &found[depth + 1]);
  check_launch();
  device_loop_naive<<<1, 1, 0, cudaStreamTailLaunch>>>(offsets, neighbours, level, vertices,
                                                       found, block, depth + 1);
  check_launch();
}

#else

// level[v]: distance from the source, -1 where not visited yet.
// frontier: queue of the vertices at distance `depth`.
// next:     queue for those at the distance after it.
// sizes[d]: how many vertices there are at distance d, 0 before. One more than vertices;
//           nothing is reset between levels.
// block:    threads of a block of the expansion.
extern "C" __global__ void device_loop(const offset_t *offsets, const int *neighbours,
                                       int *level, int *frontier, int *next, int *sizes,
                                       int block, int depth) {
  int size = sizes[depth];
  if (size == 0) return;
  int *next_size = &sizes[depth + 1];
#if EXPANSION == EXPANSION_BLOCK_PREFIX_SUM
  int blocks = (size + block - 1) / block;
  int warp_totals = block / warpSize * (int)sizeof(int);
  block_prefix_sum<<<blocks, block, warp_totals, cudaStreamFireAndForget>>>(
      offsets, neighbours, level, frontier, size, next, next_size, depth + 1);
#else
  int virtual_warps = block / WIDTH;
  int blocks = (size + virtual_warps - 1) / virtual_warps;
  host_loop<<<blocks, block, 0, cudaStreamFireAndForget>>>(
      offsets, neighbours, level, frontier, size, next, next_size, depth + 1);
#endif
  check_launch();
  // The queues change places.
  device_loop<<<1, 1, 0, cudaStreamTailLaunch>>>(offsets, neighbours, level, next, frontier,
                                                 sizes, block, depth + 1);
  check_launch();
}

#endif
