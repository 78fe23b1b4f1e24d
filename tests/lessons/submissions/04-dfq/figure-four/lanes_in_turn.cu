// right: the lanes of a warp append one after the other

// dfq-shared, with the check for room as Figure 4 of Hsieh et al. prints it.
//
// Line 5 of the figure drains the queue if size >= capacity - stride, and line 14
// raises size when a vertex is found. Where the sub-queue is small and the block
// has several warps, it overflows.

#include <cooperative_groups.h>

#include "visit.cuh"
#include "warp_scan.cuh"

namespace cg = cooperative_groups;

// queue:    the block's sub-queue.
// capacity: how many vertices it holds; at least warpSize.
// size:     how many are in it.
// reserved: 0 at the start and after a drain.
struct SubQueue {
  int *queue;
  int *size;
  int *reserved;
  int capacity;
};

// Whether there is room for one vertex from each of the warp's lanes.
__device__ bool room(SubQueue own) {
  int before = 0;
  if (threadIdx.x % warpSize == 0) before = atomicAdd(own.reserved, warpSize);
  before = __shfl_sync(EVERY_LANE, before, 0);
  return before <= own.capacity - warpSize;
}

// Scans on from vertex v until there may be no room or no vertex is left. Returns
// the vertex to go on with.
__device__ int scan_while_room(const int *level, int vertices, int v, int depth, SubQueue own) {
  int lane = threadIdx.x % warpSize;
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  while (v - lane < vertices && room(own)) {
    bool found = v < vertices && level[v] == depth;
    for (int turn = 0; turn < warpSize; turn++) {
      if (found && turn == lane) own.queue[atomicAdd(own.size, 1)] = v;
      __syncwarp();
    }
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

// level[v]: distance from the source, -1 where not visited yet.
// found:    two flags, for even and odd levels: the distance of the last vertices
//           that such a level discovered.
// Dynamic shared memory: `capacity` ints for the block's sub-queue.
extern "C" __global__ void dfq_shared(const offset_t *offsets, const int *neighbours, int *level,
                                      int vertices, int *found, int capacity) {
  extern __shared__ int sub_queue[];
  __shared__ int size;
  __shared__ int reserved;
  if (threadIdx.x == 0) {
    size = 0;
    reserved = 0;
  }
  __syncthreads();
  SubQueue own = {sub_queue, &size, &reserved, capacity};
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
