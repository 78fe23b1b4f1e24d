// A bottom-up level, and what decides when to go bottom-up.
//
// Bottom-up, the vertices not visited yet look for a parent among their
// neighbours and stop at the first (Beamer et al. 2012). That pays where the
// frontier has many edges.

#pragma once

#include "block_scan.cuh"
#include "csr.cuh"

// found[0]: how many vertices are in the next frontier; the host resets both.
// found[1]: how many edges they have.

// One thread per vertex of the queue.
// queue: vertices not visited yet.
// next_depth: the distance that they get if a neighbour is one nearer.
extern "C" __global__ void bottom_up(const offset_t *offsets, const int *neighbours, int *level,
                                     const int *queue, int queue_size, int next_depth,
                                     unsigned long long *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = -1;
  offset_t begin = 0;
  offset_t end = 0;
  if (i < queue_size) {
    v = queue[i];
    end = offsets[v + 1];
    begin = offsets[v];
  }
  bool discovered = false;
  #pragma unroll 1
  for (offset_t e = begin; e < end && !discovered; e++) {
    // A neighbour found in this same launch has level next_depth, one too many.
    discovered = level[neighbours[e]] == next_depth - 1;
  }
  // Lanes that found a parent early wait for the others of their warp. Without
  // this the compiler lets each store as it leaves the loop, for itself.
  __syncwarp();
  unsigned long long degree = 0;
  if (discovered) {
    level[v] = next_depth;
    degree = end - begin;
  }
  block_add(&found[0], discovered);
  block_add(&found[1], degree);
}

// The same figures of a frontier that was found top-down, and whose size the host
// need not know: the grid walks over the queue.
extern "C" __global__ void frontier_edges(const offset_t *offsets, const int *frontier,
                                          const int *frontier_size,
                                          unsigned long long *found) {
  int size = *frontier_size;
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  unsigned long long degrees = 0;
  #pragma unroll 1
  for (int i = thread; i < size; i += threads) {
    int u = frontier[i];
    degrees += offsets[u + 1] - offsets[u];
  }
  block_add(&found[1], degrees);
  if (thread == 0) found[0] = size;
}
