// Levels that the grid, or a single block, finds in a byte map.
//
// Whoever expands a vertex marks its neighbours, each by storing a byte, so that nobody needs
// an atomic for it, reserves a place in memory, or waits for what another thread finds. In the
// next level each thread looks at the bytes that are its own, keeps the vertices that were not
// visited before, and puts them into the block's queue in shared memory; and groups of the
// block's threads take vertices from there.

#pragma once

#include <cooperative_groups.h>

#include "csr.cuh"

namespace cg = cooperative_groups;

// Threads of a block.
#ifndef BLOCK
#define BLOCK 1024
#endif

// Threads that expand a vertex together.
#ifndef LANES
#define LANES 16
#endif

// Whether vertices that were visited are not marked again: that takes another access of
// memory, and spares stores where most neighbours were visited.
#ifndef FILTER
#define FILTER 0
#endif

// Vertices whose bytes are one thread's.
#define OWN 8

// Vertices from which four threads of a block side by side have the bytes of a sector, which
// is read once, if blocks have whole fours of threads; with fewer vertices the threads are in
// different blocks, which get equally much to do.
#ifndef WHOLE_SECTORS
#define WHOLE_SECTORS (1 << 19)
#endif

// Vertices that a block's queue holds, at least a thread's own.
#ifndef HELD
#define HELD 2048
#endif

// A block's queue in shared memory, filled and emptied as often as a level wants it.
// `sizes` are two by turns, so that one can be reset while the other is read.
struct Held {
  int *queue;
  int *sizes;
  int *end;  // the first place that was wanted in vain
};

// Of four bytes that are 0 or 1, a bit each.
__device__ __forceinline__ unsigned bits_of(unsigned bytes) {
  return (bytes * 0x10204080u) >> 28;
}

// Takes the marks of a thread's own vertices, and returns a bit for each that was not visited
// before, as `seen` says.
__device__ __forceinline__ unsigned take_marks(unsigned char *marks, unsigned char *seen,
                                               int own) {
  uint2 *place = (uint2 *)marks + own;
  uint2 bytes = *place;
  unsigned before = seen[own];  // loaded beside the others, not after them
  if ((bytes.x | bytes.y) == 0) return 0;
  uint2 none = {0, 0};
  *place = none;
  unsigned found = (bits_of(bytes.x) | bits_of(bytes.y) << 4) & ~before;
  if (found != 0) seen[own] = before | found;
  return found;
}

// Puts a thread's vertices into the queue if there is room for all of them, and writes their
// level. Returns those that are left: all or none.
__device__ __forceinline__ unsigned hold(unsigned found, int own, int depth, int *level,
                                         Held held, int turn) {
  int count = __popc(found);
  if (count == 0) return 0;
  int place = atomicAdd(&held.sizes[turn], count);
  if (place + count > HELD) {
    atomicMin(held.end, place);
    return found;
  }
  #pragma unroll 1
  while (found != 0) {
    int v = own * OWN + __ffs(found) - 1;
    found &= found - 1;
    level[v] = depth;
    held.queue[place++] = v;
  }
  return 0;
}

// Marks the neighbours of the block's vertices.
__device__ __forceinline__ void mark_neighbours_of(const offset_t *offsets,
                                                   const int *neighbours, const int *queue,
                                                   int size, const unsigned char *seen,
                                                   unsigned char *next) {
  #pragma unroll 1
  for (int i = threadIdx.x / LANES; i < size; i += BLOCK / LANES) {
    int v = queue[i];
    offset_t end = offsets[v + 1];
    #pragma unroll 1
    for (offset_t e = offsets[v] + threadIdx.x % LANES; e < end; e += LANES) {
      int u = neighbours[e];
#if FILTER
      if (seen[u / 8] >> u % 8 & 1) continue;
#endif
      next[u] = 1;
    }
  }
}

// A search: what the host says, and what it is told. One argument of the launch, which takes
// the longer the more it has.
struct Progress {
  int found[3];  // how many vertices a level has, of three by turns; 0 before
  int levels;    // how many levels there are
  int vertices;
  int source;
};

// Expands all levels. The launch must be cooperative.
// seen:        a bit for each vertex that was visited; whole bytes of them; 0 before.
// marks, next: a byte for each vertex that a neighbour has marked, of two levels by turns;
//              whole threads' of them; 0 before.
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
    best_bytemap(const offset_t *offsets, const int *neighbours, int *level,
                 unsigned char *seen, unsigned char *marks, unsigned char *next,
                 Progress *search) {
  cg::grid_group grid = cg::this_grid();
  __shared__ int queue[HELD];
  __shared__ int sizes[2];
  __shared__ int end;
  __shared__ bool over;
  Held held = {queue, sizes, &end};
  if (threadIdx.x == 0) {
    sizes[0] = 0;
    sizes[1] = 0;
    end = HELD;
    over = false;
  }
  __syncthreads();
  int vertices = search->vertices;
  int source = search->source;
  int side = vertices < WHOLE_SECTORS || BLOCK % 4 != 0 ? 1 : 4;
  int parts = (vertices + OWN - 1) / OWN;
  int turn = 0;
  int depth = 0;
  int all = 0;  // vertices so far, in the first thread of each block
  #pragma unroll 1
  while (true) {
    int *size_of_level = &search->found[depth % 3];
    // Once where there are threads enough, as the grid has for all but the largest graphs.
    #pragma unroll 1
    for (int first = 0; first < parts; first += gridDim.x * BLOCK) {
      int own = first + (threadIdx.x / side * gridDim.x + blockIdx.x) * side + threadIdx.x % side;
      unsigned mine = 0;
      if (depth == 0) {
        mine = own == source / OWN ? 1u << source % OWN : 0;
        if (mine != 0) seen[own] = mine;
      } else if (own < parts) {
        mine = take_marks(marks, seen, own);
      }
      int more;
      #pragma unroll 1
      do {
        mine = hold(mine, own, depth, level, held, turn);
        more = __syncthreads_or(mine != 0);
        int size = min(sizes[turn], end);
        if (threadIdx.x == 0) {
          sizes[1 - turn] = 0;
          if (size > 0) atomicAdd(size_of_level, size);
        }
        __syncwarp();  // lane 0 marks with the others, not before or after them
        mark_neighbours_of(offsets, neighbours, queue, size, seen, next);
        turn = 1 - turn;
        if (more) {
          __syncthreads();  // all have read where the queue ends
          if (threadIdx.x == 0) end = HELD;
          __syncthreads();
        }
      } while (more);
      if (first + gridDim.x * BLOCK < parts) __syncthreads();
    }
    if (over) return;
    if (gridDim.x == 1) {
      __syncthreads();
    } else {
      grid.sync();
    }
    if (threadIdx.x == 0) {
      int size = *size_of_level;
      all += size;
      // The others are told at the barrier behind the look at the marks.
      over = size == 0 || all == vertices;
      if (blockIdx.x == 0) {
        if (over) search->levels = depth + (size > 0);
        search->found[(depth + 2) % 3] = 0;
      }
    }
    depth++;
    unsigned char *taken = marks;
    marks = next;
    next = taken;
  }
}
