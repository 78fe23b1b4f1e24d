// right: the first lane of a warp goes along the neighbours alone

// dfq-global with fewer atomics: a warp reserves what it needs, when it knows it.
//
// The technique reserves a place for every lane before it looks, gives back what
// was not needed, and then adds once more for every vertex. All this is correct,
// and in most strides there is nothing to append at all.

#include <cooperative_groups.h>

#include "visit.cuh"
#include "warp_scan.cuh"

namespace cg = cooperative_groups;

// queue:    the block's sub-queue.
// capacity: how many vertices it holds; at least warpSize.
// size:     how many are in it.
// reserved: how many are in it or may still come; never below `size`.
struct SubQueue {
  int *queue;
  int *size;
  int *reserved;
  int capacity;
};

// The first of `wanted` places that no other warp gets, or -1 if there is no room.
__device__ int reserve(SubQueue own, int wanted) {
  int place = 0;
  if (threadIdx.x % warpSize == 0) {
    place = atomicAdd(own.reserved, wanted);
    // Who fails leaves the count above the capacity, so that all who come later
    // fail, too: the places up to `size` have no gap.
    if (place + wanted > own.capacity) place = -1;
    else atomicAdd(own.size, wanted);
  }
  return __shfl_sync(EVERY_LANE, place, 0);
}

// Scans on from vertex v until what was found has no room or no vertex is left.
// Returns the vertex to go on with, at which nothing has been appended.
__device__ int scan_while_room(const int *level, int vertices, int v, int depth, SubQueue own) {
  int lane = threadIdx.x % warpSize;
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  while (v - lane < vertices) {
    bool found = v < vertices && level[v] == depth;
    unsigned finders = __ballot_sync(EVERY_LANE, found);
    if (finders) {
      int place = reserve(own, __popc(finders));
      if (place < 0) return v;
      if (found) own.queue[place + __popc(finders & ((1u << lane) - 1))] = v;
    }
    v += threads;
  }
  return v;
}

// Visits what is in the sub-queue, a warp to a vertex, and empties it. All threads
// of the block come here together. Says whether this thread found a vertex.
__device__ bool drain(const offset_t *offsets, const int *neighbours, int *level, int depth,
                      SubQueue own) {
  bool marked = false;
  int size = *own.size;
  int warps = blockDim.x / warpSize;
  #pragma unroll 1
  for (int i = threadIdx.x / warpSize; i < size; i += warps) {
    int lane = threadIdx.x % warpSize;
    if (lane == 0) marked |= mark_neighbours(offsets, neighbours, level, own.queue[i], 0, 1, depth + 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *own.size = 0;
    *own.reserved = 0;
  }
  __syncthreads();
  return marked;
}

// level[v]:   distance from the source, -1 where not visited yet.
// found:      two flags, for even and odd levels: the distance of the last vertices
//             that such a level discovered.
// sub_queues: `capacity` vertices for each block.
// sizes:      for each block, how many vertices its sub-queue has, and how many it
//             has reserved room for; 0 at the start.
extern "C" __global__ void dfq_global(const offset_t *offsets, const int *neighbours, int *level,
                                      int vertices, int *found, int *sub_queues, int *sizes,
                                      int capacity) {
  SubQueue own = {sub_queues + blockIdx.x * capacity, &sizes[2 * blockIdx.x],
                  &sizes[2 * blockIdx.x + 1], capacity};
  cg::grid_group grid = cg::this_grid();
  #pragma unroll 1
  for (int depth = 0;; depth++) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    bool marked = false;
    bool more = true;
    #pragma unroll 1
    while (more) {
      v = scan_while_room(level, vertices, v, depth, own);
      more = __syncthreads_or(v - (int)(threadIdx.x % warpSize) < vertices);
      marked |= drain(offsets, neighbours, level, depth, own);
    }
    if (marked) found[depth % 2] = depth + 1;
    grid.sync();
    if (found[depth % 2] != depth + 1) return;
  }
}
