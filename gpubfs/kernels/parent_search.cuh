// What bottom-up kernels share: a vertex looks for its parent, and the pass counts.
//
// A vertex that was not visited yet goes through its neighbours in order and stops at
// the first that was visited one level before (early termination). Then it has a level
// at once: the store stands inside of the loop. With STORE_BEHIND it stands behind it,
// where lanes that run together come only when the last of them is done.
//
// With ASYNCHRONOUS it also takes notice of neighbours that this same pass, or the one
// before it, has given the level `next_depth`. If there is no parent among all of its
// neighbours, but such a one, the vertex belongs to the level after `next_depth`, and
// gets it now: it is found early. Whether that happens depends on who is first. So
// loads and stores of levels are volatile: neither does the compiler put them off, nor
// does the L1 cache of a multiprocessor answer with what others have overwritten.

#pragma once

#include "adjacency.cuh"
#include "block_scan.cuh"

#ifndef ASYNCHRONOUS
#define ASYNCHRONOUS 0
#endif

#define STORE_AT_ONCE 0
#define STORE_BEHIND 1
#ifndef STORE
#define STORE STORE_AT_ONCE
#endif

// level[v]:   distance from the source, -1 where not visited yet.
// queue:      vertices not visited yet, in ascending order.
// next_depth: the distance of the vertices that have a neighbour one nearer.
// found[0]:   vertices that the pass finds at next_depth, found[1]: their edges;
// found[2]:   vertices that it finds early, found[3]: their edges. The host resets all.

__device__ __forceinline__ int level_of(const int *level, int v) {
#if ASYNCHRONOUS
  return *(const volatile int *)&level[v];
#else
  return level[v];
#endif
}

__device__ __forceinline__ void set_level(int *level, int v, int depth) {
#if ASYNCHRONOUS
  *(volatile int *)&level[v] = depth;
#else
  level[v] = depth;
#endif
}

// What a thread has found.
struct Tally {
  unsigned long long vertices;
  unsigned long long edges;
#if ASYNCHRONOUS
  unsigned long long early_vertices;
  unsigned long long early_edges;
#endif
};

__device__ __forceinline__ Tally nothing_found() {
  Tally none;
  none.vertices = 0;
  none.edges = 0;
#if ASYNCHRONOUS
  none.early_vertices = 0;
  none.early_edges = 0;
#endif
  return none;
}

// What is known of a vertex's neighbours, as far as they were looked at.
struct Seen {
  bool parent;   // one is a parent: the vertex has its level
  bool sibling;  // one has the level that the vertex gets if it has a parent
};

// Looks at the neighbour at position e for vertex v.
__device__ __forceinline__ Seen look_at(const int *neighbours, int *level, int v, offset_t e,
                                        Seen seen, int next_depth) {
  int found = level_of(level, neighbours[e]);
  if (found == next_depth - 1) {
#if STORE == STORE_AT_ONCE
    set_level(level, v, next_depth);
#endif
    seen.parent = true;
  }
#if ASYNCHRONOUS
  if (found == next_depth) seen.sibling = true;
#endif
  return seen;
}

// Counts a vertex of which all was seen that had to be. Without a parent it may be one
// of the level after.
__device__ __forceinline__ Tally settle(int *level, int v, offset_t degree, Seen seen,
                                        int next_depth, Tally tally) {
  if (seen.parent) {
#if STORE == STORE_BEHIND
    set_level(level, v, next_depth);
#endif
    tally.vertices++;
    tally.edges += degree;
  }
#if ASYNCHRONOUS
  if (!seen.parent && seen.sibling) {
    set_level(level, v, next_depth + 1);
    tally.early_vertices++;
    tally.early_edges += degree;
  }
#endif
  return tally;
}

// One thread looks for the parent of one vertex, or of none. All lanes of the warp must call.
__device__ __forceinline__ Tally search_parent(const int *neighbours, int *level,
                                               Adjacency edges, int next_depth, Tally tally) {
  Seen seen = {false, false};
  #pragma unroll 1
  for (offset_t e = edges.begin; e < edges.end && !seen.parent; e++) {
    seen = look_at(neighbours, level, edges.vertex, e, seen, next_depth);
  }
  // Lanes that were done early wait for the others of their warp. Without this the compiler
  // lets each go on as it leaves the loop, and store for itself.
  __syncwarp();
  return settle(level, edges.vertex, edges.end - edges.begin, seen, next_depth, tally);
}

// Adds what the threads of the block have found: an atomic a figure, or none. All of
// them must call together.
__device__ __forceinline__ void report(Tally tally, unsigned long long *found) {
  __syncwarp();  // lanes have left their loops one after another
  block_add(&found[0], tally.vertices);
  block_add(&found[1], tally.edges);
#if ASYNCHRONOUS
  block_add(&found[2], tally.early_vertices);
  block_add(&found[3], tally.early_edges);
#endif
}
