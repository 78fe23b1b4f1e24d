// What a thread discovers of a vertex whose edges are on pages: explore.cuh's own procedure
// for compressed rows.

#pragma once

// Looks at those positions of a vertex that are this thread's, number `thread` of the
// `threads` that share it: the one at its own number, and every `threads` positions another,
// EDGES_PER_THREAD at most. Entry k of the queue becomes the vertex that is discovered there.
// Returns which entries there are. Threads that share a vertex are whole warps; one alone has
// so few edges that all are on the first page.
__device__ __forceinline__ unsigned discover(const int *pages, int *level, Adjacency edges,
                                             offset_t thread, offset_t threads, int next_depth,
                                             int *queue) {
  int page = edges.begin;
  int number = 0;  // of that page in the chain
  int behind = threads == 1 ? 0 : threadIdx.x % warpSize;  // the warp's first position
  unsigned discovered = 0;
  #pragma unroll
  for (int k = 0; k < EDGES_PER_THREAD; k++) {
    queue[k] = -1;
    offset_t position = thread + k * threads;
    if (position - behind < edges.end) {  // the same for all who share the vertex
      page = walk_by_warp(pages, page, number, position - behind);
      number = (position - behind) / PAGE_WORDS;
      int v = vertex_at_lane(pages, page, position, behind, edges.end);
      if (v >= 0 && atomicCAS(&level[v], -1, next_depth) == -1) {
        queue[k] = v;
        discovered |= 1u << k;
      }
    }
  }
  return discovered;
}
