// hierarchical-kernels: the narrowest barrier that a frontier fits.
//
// A frontier that fits one block is searched by one block, whose barrier is the
// cheapest and whose queues stay in shared memory, for as many levels as they do. One
// that fits a block on each multiprocessor is searched by these, with a barrier over
// the grid. Larger ones are expanded by a launch a level. Each kernel leaves when the
// frontier is no longer its own, and says so to the host.

#include "grid_levels.cuh"
#include "host_loop.cu"  // whose kernel expands one level, and whose tail the host reads

// What both kernels that stay get:
// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance `depth`, in global memory.
// next:      queue for those at the distance after it.
// sizes[d]:  how many vertices there are at distance d; 0 before. One more than vertices.
// left[0]:   the depth of the first level that a kernel has not expanded, and
// left[1]:   how many vertices it has; 0 ends the search. It is in `frontier` if an
//            even number of levels was expanded, else in `next`.

// capacity: how many vertices each of the block's queues holds; `size` is at most that.
// Dynamic shared memory: 2 * capacity adjacencies.
extern "C" __global__ void levels_in_block(const offset_t *offsets, const int *neighbours,
                                           int *level, int *frontier, int *next, int *sizes,
                                           int *left, int depth, int size, int capacity) {
  extern __shared__ Adjacency held[];
  // Tails of three levels, by turns: the one that is reset is neither read nor added
  // to, so that a barrier a level is enough. The first level's size is known.
  __shared__ int tails[3];
  if (threadIdx.x == 0) tails[1] = 0;
  LevelQueue from = {frontier, held, capacity};
  LevelQueue to = {next, held + capacity, capacity};
  #pragma unroll 1
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    from.held[i] = edges_of(offsets, frontier[i]);
  }
  __syncthreads();

  int turn = 0;
  #pragma unroll 1
  do {
    int after = turn == 2 ? 0 : turn + 1;
    expand_level<true>(offsets, neighbours, level, from, size, to, &tails[after], depth + 1);
    if (threadIdx.x == 0) {
      sizes[depth] = size;
      tails[after == 2 ? 0 : after + 1] = 0;
    }
    __syncthreads();
    depth++;
    turn = after;
    size = tails[turn];
    LevelQueue expanded = from;
    from = to;
    to = expanded;
  } while (0 < size && size <= capacity);

  // What did not fit is in global memory already, and has its place behind the rest.
  int kept = min(size, capacity);
  #pragma unroll 1
  for (int i = threadIdx.x; i < kept; i += blockDim.x) from.vertices[i] = from.held[i].vertex;
  if (threadIdx.x == 0) {
    sizes[depth] = size;
    left[0] = depth;
    left[1] = size;
  }
}

// few, many: the grid expands frontiers of more than `few` vertices, and at most `many`.
extern "C" __global__ void levels_in_grid(const offset_t *offsets, const int *neighbours,
                                          int *level, int *frontier, int *next, int *sizes,
                                          int *left, int depth, int few, int many) {
  int end = grid_levels(offsets, neighbours, level, frontier, next, sizes, depth, few, many);
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    left[0] = end;
    left[1] = sizes[end];
  }
}
