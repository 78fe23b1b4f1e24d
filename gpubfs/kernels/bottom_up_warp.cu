// bottom-up-warp: a warp that is done with its vertices fetches as many again as it has lanes.
//
// One lane adds to the counter for all, and a shuffle tells the others. That is an
// atomic where bottom-up-thread has as many as a warp has lanes; in return the lanes
// wait for the one that looks longest.

#ifndef BOTTOM_UP_WARP_CU
#define BOTTOM_UP_WARP_CU

#include "fetch.cuh"
#include "parent_search.cuh"
#include "top_down.cuh"

// taken: how many places of the queue are taken; the host sets it to the threads of the
//        grid, each of which has one.
extern "C" __global__ void bottom_up_warp(const offset_t *offsets, const int *neighbours,
                                          int *level, const int *queue, int queue_size,
                                          int next_depth, unsigned long long *found,
                                          int *taken) {
  Tally tally = nothing_found();
  int first = first_of_warp();
  // All lanes go on or none: the condition is about the warp's first place.
  #pragma unroll 1
  while (first < queue_size) {
    int u = entry(queue, queue_size, first + threadIdx.x % warpSize);
    Adjacency edges = adjacency_of(offsets, u);
    tally = search_parent(neighbours, level, edges, next_depth, tally);
    first = fetch_for_warp(taken, queue_size);
  }
  report(tally, found);
}

#endif
