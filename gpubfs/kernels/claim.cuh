// Claim a vertex and append it to the next queue, as scan_free.cu does in its one kernel.
//
// What the techniques of work distribution share: they differ in which thread
// looks at which edge, and not in what is done with the edge.

#pragma once

#include "csr.cuh"

// Gives v the level `next_depth` and appends it to the queue, unless it has a
// level already. However many threads want v, one of them gets it.
__device__ void claim(int v, int *level, int *next, int *next_size, int next_depth) {
  // The plain read spares visited vertices the atomic, and they are the most.
  if (level[v] < 0) {
    // Between the read and the swap another thread may have claimed v: the
    // swap then returns next_depth instead of -1.
    if (atomicCAS(&level[v], -1, next_depth) == -1) {
      next[atomicAdd(next_size, 1)] = v;
    }
  }
}

// Claims the neighbours at positions first, first + stride, … before `end`.
__device__ void claim_range(const int *neighbours, offset_t first, offset_t end, int stride,
                            int *level, int *next, int *next_size, int next_depth) {
  // Lanes with few edges wait here for the lane with the most.
  #pragma unroll 1
  for (offset_t e = first; e < end; e += stride) {
    claim(neighbours[e], level, next, next_size, next_depth);
  }
}
