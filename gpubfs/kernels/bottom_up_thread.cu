// bottom-up-thread: a thread that is done with its vertex fetches the next by an atomic.
//
// How long a vertex looks for its parent, nobody knows before. The first vertices of
// the queue, one for each thread of the fixed grid, need no atomic; the others are
// handed out by a counter, one at a time.

#ifndef BOTTOM_UP_THREAD_CU
#define BOTTOM_UP_THREAD_CU

#include "parent_search.cuh"
#include "top_down.cuh"
#include "warp_scan.cuh"

// taken: how many places of the queue are taken; the host sets it to the threads of the
//        grid, each of which has one. No more than a fetch a thread goes beyond the end.
extern "C" __global__ void bottom_up_thread(const offset_t *offsets, const int *neighbours,
                                            int *level, const int *queue, int queue_size,
                                            int next_depth, unsigned long long *found,
                                            int *taken) {
  Tally tally = nothing_found();
  bool more = gridDim.x * blockDim.x < queue_size;  // than a vertex for each thread
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // All lanes go on or none: who has no vertex left waits for those of the others.
  #pragma unroll 1
  while (__any_sync(EVERY_LANE, i < queue_size)) {
    Adjacency edges = adjacency_of(offsets, entry(queue, queue_size, i));
    tally = search_parent(neighbours, level, edges, next_depth, tally);
    // What is fetched is a place in the queue: it may lie behind the end.
    if (i < queue_size) i = more ? atomicAdd(taken, 1) : queue_size;
  }
  report(tally, found);
}

#endif
