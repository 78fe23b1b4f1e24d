// Classes of vertices by degree, and how a block appends what its threads hold.
//
// A vertex gets a thread, a warp, a block or the whole grid: the fewest of them that
// let each thread look at no more than EDGES_PER_THREAD edges. So what a thread
// discovers fits into as many registers, whatever the degree, and a prefix sum over
// the block gives it room in a queue.

#pragma once

// Room for a block's discoveries: a prefix sum, and one atomic by the last thread.
#define ENQUEUE ENQUEUE_PREFIX_SUM
#include "adjacency.cuh"
#include "enqueue.cuh"

// Entries of a thread's queue.
#ifndef EDGES_PER_THREAD
#define EDGES_PER_THREAD 4
#endif

#define CLASS_SMALL 0   // a thread has enough for all edges
#define CLASS_MEDIUM 1  // a warp has
#define CLASS_LARGE 2   // a block has
#define CLASS_HUGE 3    // the whole grid is needed
#define CLASSES 4

// The class of vertex v. Blocks of all kernels must have the same number of threads.
__device__ __forceinline__ int class_of(const offset_t *offsets, int v) {
  offset_t end = EDGES_END(offsets, v);
  offset_t degree = EDGES_LENGTH(EDGES_BEGIN(offsets, v), end);
  int by_warp = EDGES_PER_THREAD * warpSize;
  int by_block = EDGES_PER_THREAD * blockDim.x;
  if (degree <= EDGES_PER_THREAD) return CLASS_SMALL;
  if (degree <= by_warp) return CLASS_MEDIUM;
  if (degree <= by_block) return CLASS_LARGE;
  return CLASS_HUGE;
}

// What a thread has found, as bits: bit k belongs to entry k of its queue. Loops over
// the queue are unrolled, so that its entries have constant numbers and stay in
// registers; one that appended with a running number would need local memory.
struct Found {
  unsigned any;   // whether there is an entry
  unsigned low;   // the lower bit of its class
  unsigned high;  // the higher bit of its class
};

// The entries of one class.
__device__ __forceinline__ unsigned entries_of(Found found, int kind) {
  unsigned low = kind & 1 ? found.low : ~found.low;
  unsigned high = kind & 2 ? found.high : ~found.high;
  return found.any & low & high;
}

// Finds the classes of those entries of a thread's queue that there are.
__device__ __forceinline__ Found classify(const offset_t *offsets, const int *queue,
                                          unsigned entries) {
  Found found;
  found.any = entries;
  found.low = 0;
  found.high = 0;
  #pragma unroll
  for (int k = 0; k < EDGES_PER_THREAD; k++) {
    if (entries >> k & 1) {
      int kind = class_of(offsets, queue[k]);
      found.low |= (unsigned)(kind & 1) << k;
      found.high |= (unsigned)(kind >> 1) << k;
    }
  }
  return found;
}

// Appends those entries of the threads' queues whose bits are set in `entries` to the
// queue `to`, which ends at *tail: one atomic for the block, or none. All threads of
// the block must call together.
__device__ __forceinline__ void append(const int *queue, unsigned entries, int *to, int *tail) {
  int place = reserve(tail, __popc(entries));
  #pragma unroll
  for (int k = 0; k < EDGES_PER_THREAD; k++) {
    if (entries >> k & 1) {
      to[place] = queue[k];
      place++;
    }
  }
}
