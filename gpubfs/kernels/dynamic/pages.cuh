// A graph in one allocation: vertices from its front, pages of edges from its end.
//
// A vertex is a record of VERTEX_WORDS words, and its edges are on pages of PAGE_WORDS
// words each. A page begins with its entries, one after another; its last word is the
// number of the page that follows, NONE where there is none. Page 0 is the last of the
// allocation, page 1 lies before it, and so on: what is free lies between vertices and
// pages, and both may grow.
//
// The entries of a vertex have no holes: entry i is on page i / ENTRIES of its chain,
// and a chain has at least one page. Only the first `neighbours` of them count.

#pragma once

#include "edge_mode.cuh"

// Words of a page.
#ifndef PAGE_WORDS
#ifndef BLOCK_BYTES
#define BLOCK_BYTES 128
#endif
#define PAGE_WORDS (BLOCK_BYTES / 4)
#endif

#define ENTRIES ((PAGE_WORDS - 1) / EDGE_WORDS)  // edges of a page
#define LINK (PAGE_WORDS - 1)                    // where it says which page follows
#define NONE (-1)  // no page, no vertex, and an entry that is none: DELETIONMARKER

// The words of a vertex.
#define LOCK 0        // 1 while a thread or a warp changes its edges
#define FIRST_PAGE 1  // where its edges begin
#define NEIGHBOURS 2  // how many there are
#define CAPACITY 3    // how many its pages have room for
#define HOST_ID 4     // what the host calls it, NONE of a vertex that was deleted
#define WEIGHT 5      // in mode weighted and semantic
#define TYPE 6        // in mode semantic
#define VERTEX_WORDS (EDGE_WORDS == 1 ? 5 : EDGE_WORDS == 2 ? 6 : 7)

// The record of a vertex.
__device__ __forceinline__ int *vertex_at(int *vertices, int vertex) {
  return vertices + (long long)vertex * VERTEX_WORDS;
}

// The words of a page. `pages` is where page 0 begins.
__device__ __forceinline__ int *page_at(int *pages, int page) {
  return pages - (long long)page * PAGE_WORDS;
}
