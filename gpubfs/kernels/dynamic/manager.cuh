// Who gives pages and vertices away: freed ones first, then those never used.

#pragma once

#include "index_queue.cuh"
#include "pages.cuh"

// The words of the manager, at the front of the allocation.
#define ERRORS 0         // what went wrong, as bits
#define NEXT_PAGE 1      // pages from here on were never used
#define NEXT_VERTEX 2    // vertices from here on were never used
#define FREE_PAGES 3     // the state of the queue of pages
#define FREE_VERTICES 6  // the state of the queue of vertices
#define APPLIED 9        // updates of the launch that took effect
#define REFUSED 10       // updates of the launch that change nothing: the edge is there, or is not
#define NO_ROOM 11       // updates of the launch for which there was no page, or no vertex
#define RETRIES 12       // how often the launch found a lock taken

// The bits of ERRORS.
#define PAGE_QUEUE_FULL 1
#define VERTEX_QUEUE_FULL 2
#define OUT_OF_MEMORY 4

// The graph, and how far its parts may grow in a launch.
// page_limit: pages from here on have no place.
struct Memory {
  int *manager;
  int *vertices;
  int *pages;
  IndexQueue free_pages;
  int page_limit;
};

__device__ __forceinline__ Memory memory_of(int *manager, int *page_queue, int page_queue_size,
                                            int *vertices, int *pages, int page_limit) {
  IndexQueue free_pages = {&manager[FREE_PAGES], page_queue, page_queue_size};
  Memory memory = {manager, vertices, pages, free_pages, page_limit};
  return memory;
}

// Takes the next index that was never used, NONE if `limit` is reached.
__device__ __forceinline__ int take_next(int *next, int limit) {
  // A thread that fails leaves the counter as it was. Nobody fails in vain meanwhile: the
  // counter is below the limit for nobody who comes later.
  int index = atomicAdd(next, 1);
  if (index < limit) return index;
  atomicSub(next, 1);
  return NONE;
}

// Takes a page, NONE if there is none left.
__device__ __forceinline__ int take_page(Memory memory) {
  int page = dequeue_index(memory.free_pages);
  if (page == EMPTY) page = take_next(&memory.manager[NEXT_PAGE], memory.page_limit);
  if (page == NONE) atomicOr(&memory.manager[ERRORS], OUT_OF_MEMORY);
  return page;
}

// Gives a page back, and says whether the queue had room for it.
__device__ __forceinline__ bool free_page(Memory memory, int page) {
  bool freed = enqueue_index(memory.free_pages, page);
  if (!freed) atomicOr(&memory.manager[ERRORS], PAGE_QUEUE_FULL);
  return freed;
}

// Marks the words first, first + stride, … of a page as no entries and no link.
__device__ __forceinline__ void clean_page(int *page, int first, int stride) {
  #pragma unroll 1
  for (int word = first; word < PAGE_WORDS; word += stride) {
    ((volatile int *)page)[word] = NONE;
  }
}
