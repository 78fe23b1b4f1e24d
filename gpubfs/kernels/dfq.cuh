// The decentralized frontier queue: one small sub-queue for each block.
//
// A block scans its share of the status array into its own sub-queue, and visits
// what is there (drains it) whenever the next warp's vertices might not fit. So
// a sub-queue of any size that holds one warp's vertices will do, and no atomic
// is ever made on a tail that another block uses.

#pragma once

#include <cooperative_groups.h>

#include "visit.cuh"
#include "warp_scan.cuh"

namespace cg = cooperative_groups;

// queue:    the block's sub-queue.
// capacity: how many vertices it holds; at least warpSize.
// size:     how many are in it.
// reserved: how many are in it or may still come from warps that are scanning.
//           It is never below `size`, and a warp goes on only if it is not above
//           `capacity`: that is why nothing overflows.
struct SubQueue {
  int *queue;
  int *size;
  int *reserved;
  int capacity;
};

// Room for one vertex from each of the warp's lanes, if there is.
__device__ bool reserve_stride(SubQueue own) {
  int before = 0;
  if (threadIdx.x % warpSize == 0) before = atomicAdd(own.reserved, warpSize);
  before = __shfl_sync(EVERY_LANE, before, 0);
  // A warp that fails keeps its reservation and waits at the barrier before the
  // drain, which resets the count. Others go on while there is room beside it.
  return before + warpSize <= own.capacity;
}

// Scans on from vertex v, one stride of the grid after another, until there may
// be no room or no vertex is left. Returns the vertex to go on with.
__device__ int scan_while_room(const int *level, int vertices, int v, int depth, SubQueue own) {
  int lane = threadIdx.x % warpSize;
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  while (v - lane < vertices && reserve_stride(own)) {
    bool found = v < vertices && level[v] == depth;
    if (found) own.queue[atomicAdd(own.size, 1)] = v;
    int appended = __popc(__ballot_sync(EVERY_LANE, found));
    if (lane == 0) atomicSub(own.reserved, warpSize - appended);
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
    marked |= mark_neighbours(offsets, neighbours, level, own.queue[i], lane, warpSize, depth + 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *own.size = 0;
    *own.reserved = 0;
  }
  __syncthreads();
  return marked;
}

// The whole search, in one cooperative launch.
// level[v]: distance from the source, -1 where not visited yet.
// found:    two flags, for even and odd levels: the distance of the last vertices
//           that such a level discovered. While one is written nobody reads it.
__device__ void dfq_search(const offset_t *offsets, const int *neighbours, int *level,
                           int vertices, int *found, SubQueue own) {
  cg::grid_group grid = cg::this_grid();
  #pragma unroll 1
  for (int depth = 0;; depth++) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    bool marked = false;
    bool more = true;
    #pragma unroll 1
    while (more) {
      v = scan_while_room(level, vertices, v, depth, own);
      // Other blocks need not wait: they may still scan, or drain, this level.
      more = __syncthreads_or(v - (int)(threadIdx.x % warpSize) < vertices);
      marked |= drain(offsets, neighbours, level, depth, own);
    }
    if (marked) found[depth % 2] = depth + 1;
    grid.sync();
    if (found[depth % 2] != depth + 1) return;
  }
}
