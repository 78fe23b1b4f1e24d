// A cache of the frontier's hubs, for bottom-up levels (Liu and Huang 2015).
//
// A vertex that looks for a parent finds most often one with many edges. The
// frontier vertices of largest degree are kept in shared memory, where a hit
// spares the load of a status. Each vertex has one place, its number modulo HUBS;
// of those that share a place the one with the most edges gets it.

#pragma once

#include "csr.cuh"

// Places of the cache; 0 is none.
#ifndef HUBS
#define HUBS 1920
#endif
// An array has one element at least.
#define HUB_PLACES (HUBS > 0 ? HUBS : 1)

// hubs[place]: a frontier vertex behind its degree, which comes first in the
// comparison: degree << 32 | vertex. 0 where there is none; the host resets them.

// Puts the frontier vertex v into its place, unless that has one with more edges.
__device__ void remember_hub(unsigned long long *hubs, int v, offset_t degree) {
#if HUBS > 0
  unsigned long long *place = &hubs[v % HUBS];
  unsigned long long hub = (unsigned long long)degree << 32 | (unsigned)v;
  // The plain read spares the atomic where the place has a larger one already.
  if (hub > *place) atomicMax(place, hub);
#endif
}

// Copies the vertices to the block's shared memory: all its threads together.
// cache: HUB_PLACES ints, -1 where there is no hub.
__device__ void load_hubs(const unsigned long long *hubs, int *cache) {
#if HUBS > 0
  #pragma unroll 1
  for (int place = threadIdx.x; place < HUBS; place += blockDim.x) {
    unsigned long long hub = hubs[place];
    cache[place] = hub > 0 ? (int)(hub & 0xffffffffu) : -1;
  }
  __syncthreads();
#endif
}

// Whether v is in the frontier, whose level is `depth`. All hubs are.
__device__ bool in_frontier(const int *level, int v, int depth, const int *cache) {
#if HUBS > 0
  if (cache[v % HUBS] == v) return true;
#endif
  return level[v] == depth;
}
