// bottom-up: who was not visited looks for a parent, and stops at the first.
//
// A thread a vertex, whatever the degree: early termination leaves most vertices with
// little to do. The grid is fixed; a thread that has done with a vertex takes the one
// that is as many places further in the queue as there are threads.

#ifndef BOTTOM_UP_CU
#define BOTTOM_UP_CU

#include "parent_search.cuh"
#include "top_down.cuh"

extern "C" __global__ void bottom_up_static(const offset_t *offsets, const int *neighbours,
                                            int *level, const int *queue, int queue_size,
                                            int next_depth, unsigned long long *found) {
  Tally tally = nothing_found();
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < queue_size; i += threads) {
    Adjacency edges = adjacency_of(offsets, queue[i]);
    tally = search_parent(neighbours, level, edges, next_depth, tally);
  }
  report(tally, found);
}

#endif
