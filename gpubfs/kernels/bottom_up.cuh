// A bottom-up level, and what decides when to go bottom-up.
//
// Bottom-up, the vertices not visited yet look for a parent among their
// neighbours and stop at the first (Beamer et al. 2012). That pays where the
// frontier has many edges.

#pragma once

#include "csr.cuh"
#include "warp_scan.cuh"

// found[0]: how many vertices are in the next frontier; the host resets both.
// found[1]: how many edges they have.

// One thread per vertex of the queue.
// queue: vertices not visited yet.
// depth: the distance that they get if a neighbour is one nearer.
extern "C" __global__ void bottom_up(const offset_t *offsets, const int *neighbours, int *level,
                                     const int *queue, int queue_size, int depth,
                                     unsigned long long *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool discovered = false;
  unsigned long long degree = 0;
  if (i < queue_size) {
    int v = queue[i];
    offset_t end = offsets[v + 1];
    offset_t begin = offsets[v];
    #pragma unroll 1
    for (offset_t e = begin; e < end; e++) {
      // A neighbour found in this same launch has level `depth`, one too many.
      if (level[neighbours[e]] == depth - 1) {
        discovered = true;
        break;
      }
    }
    if (discovered) {
      level[v] = depth;
      degree = end - begin;
    }
  }
  warp_add(&found[0], discovered);
  warp_add(&found[1], degree);
}

// The same figures of a frontier that was found top-down: one thread per vertex.
extern "C" __global__ void frontier_edges(const offset_t *offsets, const int *frontier,
                                          int frontier_size, unsigned long long *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long degree = 0;
  if (i < frontier_size) {
    int u = frontier[i];
    degree = offsets[u + 1] - offsets[u];
  }
  warp_add(&found[1], degree);
}
