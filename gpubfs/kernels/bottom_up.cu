// bottom-up: who was not visited looks for a parent, and stops at the first.
//
// A thread a vertex, whatever the degree: early termination leaves most vertices with
// little to do. The grid is fixed; a thread that has done with a vertex takes the one
// that is as many places further in the queue as there are threads.

#ifndef BOTTOM_UP_CU
#define BOTTOM_UP_CU

#include "fetch.cuh"
#include "parent_search.cuh"
#include "top_down.cuh"

extern "C" __global__ void bottom_up_static(const offset_t *offsets, const int *neighbours,
                                            int *level, const int *queue, int queue_size,
                                            int next_depth, unsigned long long *found) {
  Tally tally = nothing_found();
  int threads = gridDim.x * blockDim.x;
  // All lanes go on or none: the condition is about the warp's first place.
  #pragma unroll 1
  for (int first = first_of_warp(); first < queue_size; first += threads) {
    int u = entry(queue, queue_size, first + threadIdx.x % warpSize);
    Adjacency edges = adjacency_of(offsets, u);
    tally = search_parent(neighbours, level, edges, next_depth, tally);
  }
  report(tally, found);
}

#endif
