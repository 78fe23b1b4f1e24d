// hierarchical-queue: from the queues of few lanes to a block's to the one queue.
//
// What a block discovers goes into SUB_QUEUES queues in shared memory, which
// lanes take in turn, so that no queue's tail is wanted by all. Then these are
// copied behind each other into the block's queue, and that, by one addition
// for the whole block, into the queue in global memory. Shared memory bounds
// the lower queues: a block may discover more than fits.

#include "visit.cuh"

// Queues on the lowest level of the hierarchy.
#ifndef SUB_QUEUES
#define SUB_QUEUES 8
#endif

// What becomes of a vertex that finds its sub-queue full: 0 reports it, 1 appends
// it to the queue in global memory at once.
#ifndef SPILL
#define SPILL 0
#endif

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1, a virtual warp for each.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.
// overflow:  -1, or a vertex that found no room.
// capacity:  of a sub-queue. Dynamic shared memory: SUB_QUEUES * capacity ints for
//            the sub-queues, and as many again for the block's queue.
extern "C" __global__ void hierarchical_queue(const offset_t *offsets, const int *neighbours,
                                              int *level, const int *frontier,
                                              int frontier_size, int *next, int *next_size,
                                              int *overflow, int capacity,
                                              int next_depth) {
  extern __shared__ int queues[];
  __shared__ int sub_size[SUB_QUEUES];   // may count past the capacity
  __shared__ int sub_start[SUB_QUEUES];  // where a sub-queue goes in the block's queue
  __shared__ int block_size;
  __shared__ int start;  // where the block's queue goes in `next`
  int *sub_queues = queues;
  int *block_queue = queues + SUB_QUEUES * capacity;

  for (int q = threadIdx.x; q < SUB_QUEUES; q += blockDim.x) sub_size[q] = 0;
  __syncthreads();

  // Lanes that run together append to different sub-queues, as far as they go.
  int own = threadIdx.x % SUB_QUEUES;
  int i = virtual_warp();
  if (i < frontier_size) {
    int u = frontier[i];
    offset_t end = offsets[u + 1];
    #pragma unroll 1
    for (offset_t e = offsets[u] + virtual_lane(); e < end; e += WIDTH) {
      int v = neighbours[e];
      if (level[v] < 0) {
        // The swap makes sure that a vertex gets into one queue only.
        if (atomicCAS(&level[v], -1, next_depth) == -1) {
          int slot = atomicAdd(&sub_size[own], 1);
          if (slot < capacity) {
            sub_queues[own * capacity + slot] = v;
          } else if (SPILL) {
            next[atomicAdd(next_size, 1)] = v;
          } else {
            atomicCAS(overflow, -1, v);
          }
        }
      }
    }
  }
  __syncthreads();

  // One thread sees where the sub-queues go, and reserves room for all of them.
  if (threadIdx.x == 0) {
    int total = 0;
    for (int q = 0; q < SUB_QUEUES; q++) {
      sub_size[q] = min(sub_size[q], capacity);
      sub_start[q] = total;
      total += sub_size[q];
    }
    block_size = total;
    if (total > 0) start = atomicAdd(next_size, total);
  }
  __syncthreads();

  // Each warp copies sub-queues into the block's queue.
  int lane = threadIdx.x % warpSize;
  int warps = blockDim.x / warpSize;
  #pragma unroll 1
  for (int q = threadIdx.x / warpSize; q < SUB_QUEUES; q += warps) {
    int size = sub_size[q];
    #pragma unroll 1
    for (int k = lane; k < size; k += warpSize) {
      block_queue[sub_start[q] + k] = sub_queues[q * capacity + k];
    }
  }
  __syncthreads();

  // The block copies its queue, neighbouring threads to neighbouring places.
  int size = block_size;
  #pragma unroll 1
  for (int k = threadIdx.x; k < size; k += blockDim.x) next[start + k] = block_queue[k];
}
