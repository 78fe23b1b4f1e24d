// The edges of a vertex on pages: csr.cuh in the place of compressed rows.
//
// A position is a word of the vertex's pages, counted from its first page on. Of each page
// the last word is no edge but the link, and so 32 threads side by side look at 31 edges of
// one page, or at 15 each of two smaller ones: threads are spread over positions, and none
// of them reads across the end of a page. `begin` is the number of the first page, and
// `end` the position behind the last edge.
//
// Who looks at a page must come to it from the first page on, by one link after another.

#pragma once

#include "dynamic/pages.cuh"

// What follows a link costs: `link_of` is the only place where links are loaded.
__device__ __forceinline__ const int *page_words(const int *pages, int page) {
  return pages - (long long)page * PAGE_WORDS;
}

// The number of the page that follows.
__device__ __forceinline__ int link_of(const int *pages, int page) {
  return page_words(pages, page)[LINK];
}

// The record of a vertex.
__device__ __forceinline__ const int *record_of(const offset_t *vertices, int v) {
  return vertices + (long long)v * VERTEX_WORDS;
}

// The position behind the last edge of a vertex. Where there are edges, it begins no page.
__device__ __forceinline__ offset_t end_of(const offset_t *vertices, int v) {
  int degree = record_of(vertices, v)[NEIGHBOURS];
  return degree + max(degree - 1, 0) / (PAGE_WORDS - 1);
}

#define EDGES_BEGIN(offsets, v) record_of(offsets, v)[FIRST_PAGE]
#define EDGES_END(offsets, v) end_of(offsets, v)
#define EDGES_LENGTH(begin, end) end
#define EDGES_DEGREE(begin, end) (end - end / PAGE_WORDS)

// An edge to which one thread has come.
struct PageEdge {
  int page;
  offset_t position;
};

// The next one. From the last of a page it is on the page that follows.
__device__ __forceinline__ PageEdge next_edge(const int *pages, PageEdge edge, offset_t end) {
  edge.position++;
  if (edge.position % PAGE_WORDS == LINK) {
    edge.position++;
    if (edge.position < end) edge.page = link_of(pages, edge.page);
  }
  return edge;
}

__device__ __forceinline__ int vertex_of(const int *pages, PageEdge edge) {
  return page_words(pages, edge.page)[edge.position % PAGE_WORDS];
}

#ifdef WALK_BY_LANES
#include "dynamic/lanes_walk.cuh"
#else

// The page on which a warp's first lane looks at `position`: it walks from `page`, which has
// the number `number` in the chain, and tells the others. All lanes must call together.
__device__ __forceinline__ int walk_by_warp(const int *pages, int page, int number,
                                            offset_t position) {
  int links = position / PAGE_WORDS - number;
  if (links == 0) return page;
  if (threadIdx.x % warpSize == 0) {
    #pragma unroll 1
    for (int i = 0; i < links; i++) page = link_of(pages, page);
  }
  return __shfl_sync(0xffffffffu, page, 0);
}

#endif

// The vertex at a lane's position, which lies `behind` that of the warp's first lane; -1
// where there is no edge. `page` is the page of the first lane.
__device__ __forceinline__ int vertex_at_lane(const int *pages, int page, offset_t position,
                                              int behind, offset_t end) {
  int at = position % PAGE_WORDS;
  if (position >= end || at == LINK) return -1;
  // A warp that is wider than a page reads several.
  #pragma unroll 1
  for (int more = behind / PAGE_WORDS; more > 0; more--) {
    page = link_of(pages, page);
  }
  return page_words(pages, page)[at];
}
