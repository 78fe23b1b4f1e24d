// Visit the neighbours of a vertex with the lanes of a virtual warp.
//
// A virtual warp (Hong et al. 2011) is WIDTH neighbouring lanes that share a
// vertex; 1 is one thread per vertex, warpSize a whole warp. Blocks are made of
// whole virtual warps.

#pragma once

#include "csr.cuh"

#ifndef WIDTH
#define WIDTH 1
#endif

// The number of this thread's virtual warp in the grid.
__device__ int virtual_warp() {
  return blockIdx.x * (blockDim.x / WIDTH) + threadIdx.x / WIDTH;
}

// The number of this thread in its virtual warp.
__device__ int virtual_lane() { return threadIdx.x % WIDTH; }

// Gives `next_depth` to those neighbours of u that have no level yet, and says
// whether this lane found one. Lane 0 of `width` looks at the first neighbour,
// lane 1 at the second, and so on.
//
// Two threads may find the same vertex at the same time. Both write `next_depth`,
// which does no harm and needs no atomic, but neither knows of the other: who
// needs to enqueue a vertex exactly once cannot do it here.
__device__ bool mark_neighbours(const offset_t *offsets, const int *neighbours, int *level,
                                int u, int lane, int width, int next_depth) {
  bool marked = false;
  offset_t end = offsets[u + 1];
  #pragma unroll 1
  for (offset_t e = offsets[u] + lane; e < end; e += width) {
    int v = neighbours[e];
    if (level[v] < 0) {
      level[v] = next_depth;
      marked = true;
    }
  }
  return marked;
}
