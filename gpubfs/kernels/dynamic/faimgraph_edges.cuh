// Insertion and deletion of an edge, by whoever holds the lock of its vertex.
//
// All that is read under a lock is read volatile: another multiprocessor may have
// written it since a line of it came into this one's cache.

#pragma once

#include "manager.cuh"
#include "warp_scan.cuh"

// What becomes of an update.
#define CHANGED 0    // it took effect
#define UNCHANGED 1  // the edge was there already, or there was none
#define FAILED 2     // there was no page left

// Where an edge is, or where the next one goes.
struct Place {
  volatile int *page;    // the words of the page
  volatile int *before;  // those of the page before it, null where there is none
  int number;            // of the page
  int entry;             // words before it in the page
};

__device__ __forceinline__ volatile int *volatile_page(Memory memory, int page) {
  return page_at(memory.pages, page);
}

// The first page of a vertex, as a place.
__device__ __forceinline__ Place first_place(Memory memory, volatile int *vertex) {
  int page = vertex[FIRST_PAGE];
  Place place = {volatile_page(memory, page), nullptr, page, 0};
  return place;
}

// The same on the page that follows, if there is one.
__device__ __forceinline__ Place next_place(Memory memory, Place place) {
  int page = place.page[LINK];
  Place next = {volatile_page(memory, page), place.page, page, 0};
  return next;
}

// Finds an edge among the first `edges` of a page: its place in words, or -1.
__device__ __forceinline__ int find_by_thread(volatile int *page, int edges, int destination) {
  int found = -1;
  // The whole page and no branch, so that the loads are under way together.
  #pragma unroll
  for (int i = 0; i < ENTRIES; i++) {
    int to = page[i * EDGE_WORDS];
    found = i < edges && to == destination ? i * EDGE_WORDS : found;
  }
  return found;
}

// The same by the lanes of a warp; all get the same place.
__device__ __forceinline__ int find_by_warp(volatile int *page, int edges, int destination) {
  int found = -1;
  #pragma unroll 1
  for (int i = threadIdx.x % warpSize; i < edges; i += warpSize) {
    if (page[i * EDGE_WORDS] == destination) found = i * EDGE_WORDS;
  }
  __syncwarp();
  unsigned votes = __ballot_sync(EVERY_LANE, found >= 0);
  if (votes == 0) return -1;
  return __shfl_sync(EVERY_LANE, found, __ffs(votes) - 1);
}

template <bool WARP>
__device__ __forceinline__ int find(volatile int *page, int edges, int destination) {
  if constexpr (WARP) {
    return find_by_warp(page, edges, destination);
  } else {
    return find_by_thread(page, edges, destination);
  }
}

// A page to come behind the last one of a chain, NONE if there is none left.
template <bool WARP>
__device__ __forceinline__ int take_clean_page(Memory memory) {
  int page = NONE;
  if constexpr (WARP) {
    int lane = threadIdx.x % warpSize;
    if (lane == 0) page = take_page(memory);
    page = __shfl_sync(EVERY_LANE, page, 0);
    if (page != NONE) clean_page(page_at(memory.pages, page), lane, warpSize);
    __syncwarp();
  } else {
    page = take_page(memory);
    if (page != NONE) clean_page(page_at(memory.pages, page), 0, 1);
  }
  return page;
}

// Links a page behind the last one of a vertex.
__device__ __forceinline__ void link_page(volatile int *vertex, Place last, int page) {
  last.page[LINK] = page;
  vertex[CAPACITY] = vertex[CAPACITY] + ENTRIES;
}

// Writes the edge of update i behind the last one of a vertex.
__device__ __forceinline__ void write_edge(volatile int *vertex, Place place, Updates batch,
                                           unsigned i) {
  store_edge((volatile unsigned *)(place.page + place.entry), batch, i);
  vertex[NEIGHBOURS] = vertex[NEIGHBOURS] + 1;
}

// Appends the edge of update i behind the last one, unless it is there already. Of a warp all
// lanes call together, and the first writes.
template <bool WARP>
__device__ __forceinline__ int insert_locked(Memory memory, volatile int *vertex, Updates batch,
                                             unsigned i) {
  int left = vertex[NEIGHBOURS];
  int destination = destination_of(batch, i);
  Place place = first_place(memory, vertex);
  #pragma unroll 1
  while (true) {
    int edges = min(left, ENTRIES);
    if (find<WARP>(place.page, edges, destination) >= 0) return UNCHANGED;
    left -= edges;
    place.entry = edges * EDGE_WORDS;
    if (edges < ENTRIES) break;
    if (place.page[LINK] == NONE) {
      int page = take_clean_page<WARP>(memory);
      if (page == NONE) return FAILED;
      if constexpr (WARP) {
        if (threadIdx.x % warpSize == 0) link_page(vertex, place, page);
        __syncwarp();
      } else {
        link_page(vertex, place, page);
      }
    }
    place = next_place(memory, place);
  }
  if constexpr (WARP) {
    if (threadIdx.x % warpSize == 0) write_edge(vertex, place, batch, i);
  } else {
    write_edge(vertex, place, batch, i);
  }
  return CHANGED;
}

// Moves the last edge of a vertex to where a deleted one was, and gives back a page that
// is empty then, unless it is the only one.
__device__ __forceinline__ void fill_hole(Memory memory, volatile int *vertex,
                                          volatile int *hole, Place last) {
  volatile int *entry = last.page + last.entry;
  #pragma unroll
  for (int word = EDGE_WORDS - 1; word >= 0; word--) hole[word] = entry[word];
  entry[0] = NONE;
  vertex[NEIGHBOURS] = vertex[NEIGHBOURS] - 1;
  if (last.entry != 0 || last.before == nullptr) return;
  int following = last.page[LINK];
  if (free_page(memory, last.number)) {
    last.before[LINK] = following;
    vertex[CAPACITY] = vertex[CAPACITY] - ENTRIES;
  }
}

// Deletes an edge, if it is there. Of a warp all lanes call together, and the first writes.
template <bool WARP>
__device__ __forceinline__ int delete_locked(Memory memory, volatile int *vertex,
                                             int destination) {
  int left = vertex[NEIGHBOURS];
  volatile int *hole = nullptr;
  Place place = first_place(memory, vertex);
  #pragma unroll 1
  while (true) {
    int edges = min(left, ENTRIES);
    if (hole == nullptr) {
      int found = find<WARP>(place.page, edges, destination);
      if (found >= 0) hole = place.page + found;
    }
    left -= edges;
    place.entry = (edges - 1) * EDGE_WORDS;
    if (left == 0) break;
    place = next_place(memory, place);
  }
  if (hole == nullptr) return UNCHANGED;
  if constexpr (WARP) {
    __syncwarp();  // the others have followed the links
    if (threadIdx.x % warpSize == 0) fill_hole(memory, vertex, hole, place);
  } else {
    fill_hole(memory, vertex, hole, place);
  }
  return CHANGED;
}
