// wrong: the block does not say how many vertices it leaves
// loses: result
// says: has no level, but can be reached

#include <cooperative_groups.h>

#include "level_expansion.cuh"

namespace cg = cooperative_groups;

// Levels with at most so many vertices are one block's.
#define FEW (2 * blockDim.x)
// A level with more than this part of all vertices is expanded bottom-up.
#define LARGE 10

// Level after level by one block, as long as they are few. Returns the depth of the
// first level that is not, and its size by `size`; it is in `queue`, or if an odd number
// of levels was expanded, in `next`.
__device__ int levels_of_block(const offset_t *offsets, const int *neighbours, int *level,
                               int *queue, int *next, int depth, int *size) {
  __shared__ int tails[3];
  int lanes = WIDTH;
  if (threadIdx.x == 0) tails[1] = 0;
  int turn = 0;
  int now = *size;
  __syncthreads();
  #pragma unroll 1
  while (now > 0 && now <= FEW) {
    int after = turn == 2 ? 0 : turn + 1;
    #pragma unroll 1
    for (int i = threadIdx.x / lanes; i < now; i += blockDim.x / lanes) {
      int u = queue[i];
      offset_t end = offsets[u + 1];
      #pragma unroll 1
      for (offset_t e = offsets[u] + threadIdx.x % lanes; e < end; e += lanes) {
        int v = neighbours[e];
        if (level[v] < 0 && atomicCAS(&level[v], -1, depth + 1) == -1) {
          next[atomicAdd(&tails[after], 1)] = v;
        }
      }
    }
    if (threadIdx.x == 0) tails[after == 2 ? 0 : after + 1] = 0;
    __syncthreads();
    turn = after;
    now = tails[turn];
    depth++;
    int *expanded = queue;
    queue = next;
    next = expanded;
  }
  *size = now;
  return depth;
}

// Vertices without a level look for a neighbour at `depth`, and stop at the first.
__device__ void bottom_up(const offset_t *offsets, const int *neighbours, int *level,
                          int vertices, int *next, int *tail, int depth) {
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < vertices; v += threads) {
    if (level[v] >= 0) continue;
    offset_t end = offsets[v + 1];
    #pragma unroll 1
    for (offset_t e = offsets[v]; e < end; e++) {
      if (level[neighbours[e]] != depth) continue;
      level[v] = depth + 1;
      next[atomicAdd(tail, 1)] = v;
      break;
    }
  }
}

extern "C" __global__ void persistent(const offset_t *offsets, const int *neighbours,
                                      int *level, int *frontier, int *next, int *sizes,
                                      int vertices) {
  cg::grid_group grid = cg::this_grid();
  int size = 1;
  int depth = 0;
  #pragma unroll 1
  while (size > 0) {
    int begun = depth;
    if (size <= FEW) {
      // Nobody reads this place any more, which says where the block has left.
      int *left = &sizes[max(depth - 1, 0)];
      if (blockIdx.x == 0) {
        depth = levels_of_block(offsets, neighbours, level, frontier, next, depth, &size);
        if (threadIdx.x == 0) {
          *left = depth;
        }
      }
      grid.sync();
      depth = *left;
    } else {
      int *tail = &sizes[depth + 1];
      if (size > vertices / LARGE) {
        bottom_up(offsets, neighbours, level, vertices, next, tail, depth);
      } else {
        expand_queue(offsets, neighbours, level, frontier, size, next, tail, depth + 1);
      }
      grid.sync();
      depth++;
    }
    size = sizes[depth];
    if ((depth - begun) % 2) {
      int *expanded = frontier;
      frontier = next;
      next = expanded;
    }
  }
}
