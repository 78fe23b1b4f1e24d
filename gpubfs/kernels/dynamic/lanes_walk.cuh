// The walk of a warp along the links of a vertex, by as many of them at a time as it has lanes.
//
// A chain of links is followed one by one, each load waiting for the one before. But pages that
// were taken one after the other, as all are when a graph is put in, have numbers one after the
// other. So each lane guesses its page, and loads that page's link. A guess is right if the lanes
// before it have found that their links lead to the next number. Where that ends, the last right
// lane has the link of a page of the chain, wherever it leads: the warp goes on from there.

#pragma once

#include "dynamic/manager.cuh"

// Where page 0 begins in the allocation, whose front is the manager.
#ifndef PAGES_AT
#define PAGES_AT 0
#endif

// How many pages were taken so far: guesses stay below.
__device__ __forceinline__ int pages_taken(const int *pages) {
  return (pages - PAGES_AT)[NEXT_PAGE];
}

// The page on which a warp's first lane looks at `position`, from `page` on, which has the number
// `number` in the chain. All lanes must call together.
__device__ __forceinline__ int walk_by_warp(const int *pages, int page, int number,
                                            offset_t position) {
  int links = position / PAGE_WORDS - number;
  int lane = threadIdx.x % warpSize;
  int taken = links > 1 ? pages_taken(pages) : 0;
  #pragma unroll 1
  while (links > 0) {
    int guess = page + lane;
    int link = NONE;
    // The first lane's page is no guess.
    if (lane == 0 || (lane < links && guess < taken)) link = link_of(pages, guess);
    unsigned leads_on = __ballot_sync(0xffffffffu, link == guess + 1);
    int right = __ffs(~leads_on) - 1;  // the first lane whose link leads elsewhere; -1: none
    int last = min(right < 0 ? warpSize : right, min(links, warpSize) - 1);
    page = __shfl_sync(0xffffffffu, link, last);
    links -= last + 1;
  }
  return page;
}
