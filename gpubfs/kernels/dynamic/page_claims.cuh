// Claims the neighbours of a vertex whose edges are on pages: claim_range's own procedure for
// compressed rows.

#pragma once

#define CLAIM_ALL claim_pages
#define CLAIM_SHARE claim_pages_together

// By one thread, from page to page.
__device__ __forceinline__ void claim_pages(const int *pages, int first_page, offset_t end,
                                            int *level, int *next, int *next_size,
                                            int next_depth) {
  PageEdge edge = {first_page, 0};
  #pragma unroll 1
  for (; edge.position < end; edge = next_edge(pages, edge, end)) {
    claim(vertex_of(pages, edge), level, next, next_size, next_depth);
  }
}

// By `threads` threads, of which this one is number `thread`: whole warps, whose first lanes
// walk. All lanes of a warp must call together.
__device__ __forceinline__ void claim_pages_together(const int *pages, int first_page,
                                                     offset_t end, offset_t thread,
                                                     offset_t threads, int *level, int *next,
                                                     int *next_size, int next_depth) {
  int page = first_page;
  int number = 0;
  int lane = threadIdx.x % warpSize;
  #pragma unroll 1
  for (offset_t first = thread - lane; first < end; first += threads) {
    page = walk_by_warp(pages, page, number, first);
    number = first / PAGE_WORDS;
    int v = vertex_at_lane(pages, page, first + lane, lane, end);
    if (v >= 0) claim(v, level, next, next_size, next_depth);
    __syncwarp();
  }
}
