// A level's expansion, for every kind of main loop.
//
// WIDTH lanes share the edges of a frontier vertex (visit.cuh). Whoever looks at an
// edge claims its vertex by a compare-and-swap, so that one thread appends it. All
// threads of the grid must call together, and together they go through the whole
// frontier, however many they are.

#pragma once

#include "adjacency.cuh"
#include "claim.cuh"
#include "visit.cuh"

// The vertices of one level.
// vertices: in global memory, with room for every vertex of the graph.
// held:     for a block that searches alone: the first `capacity` of them, and where
//           their edges lie, in its shared memory. Only the others are in `vertices`.
struct LevelQueue {
  int *vertices;
  Adjacency *held;
  int capacity;
};

// The edges of vertex u.
__device__ __forceinline__ Adjacency edges_of(const offset_t *offsets, int u) {
  Adjacency edges = {u, offsets[u], offsets[u + 1]};
  return edges;
}

// The queue's vertex i and its edges. A queue that is held is held whole: one that
// is larger than its capacity is for another kernel.
template <bool HELD>
__device__ __forceinline__ Adjacency queued(const offset_t *offsets, LevelQueue queue, int i) {
  if constexpr (HELD) {
    return queue.held[i];
  } else {
    return edges_of(offsets, queue.vertices[i]);
  }
}

// Gives v the level `next_depth` and appends it to `next`, unless it has a level.
template <bool HELD>
__device__ __forceinline__ void discover(const offset_t *offsets, int v, int *level,
                                         LevelQueue next, int *next_size, int next_depth) {
  if constexpr (HELD) {
    // What the next level needs is loaded while the swap is under way, and no level
    // is read before it: a small level costs as long as its accesses wait for each
    // other, and not as many as there are.
    Adjacency edges = edges_of(offsets, v);
    if (atomicCAS(&level[v], -1, next_depth) == -1) {
      int slot = atomicAdd(next_size, 1);
      if (slot < next.capacity) {
        next.held[slot] = edges;
      } else {
        next.vertices[slot] = v;
      }
    }
  } else {
    claim(v, level, next.vertices, next_size, next_depth);
  }
}

// level[v]:   distance from the source, -1 where not visited yet.
// frontier:   the `size` vertices at distance next_depth - 1.
// next:       receives the vertices at distance next_depth, in any order.
// next_size:  their number, 0 before; in shared memory where queues are held.
template <bool HELD>
__device__ __forceinline__ void expand_level(const offset_t *offsets, const int *neighbours,
                                             int *level, LevelQueue frontier, int size,
                                             LevelQueue next, int *next_size, int next_depth) {
  int virtual_warps = gridDim.x * (blockDim.x / WIDTH);
  #pragma unroll 1
  for (int i = virtual_warp(); i < size; i += virtual_warps) {
    Adjacency edges = queued<HELD>(offsets, frontier, i);
    #pragma unroll 1
    for (offset_t e = edges.begin + virtual_lane(); e < edges.end; e += WIDTH) {
      discover<HELD>(offsets, neighbours[e], level, next, next_size, next_depth);
    }
  }
}

// The same for queues in global memory alone.
__device__ __forceinline__ void expand_queue(const offset_t *offsets, const int *neighbours,
                                             int *level, int *frontier, int size, int *next,
                                             int *next_size, int next_depth) {
  LevelQueue from = {frontier, nullptr, 0};
  LevelQueue to = {next, nullptr, 0};
  expand_level<false>(offsets, neighbours, level, from, size, to, next_size, next_depth);
}
