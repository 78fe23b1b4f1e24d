// Top-down levels by classes of degree: who expands a vertex is one thread, a warp, a
// block or, in a launch of its own, the whole grid.
//
// Each thread of a block loads one vertex. One with at least as many edges as the block
// has threads is looked at by the block, one with at least as many as a warp has lanes
// by the warp, and all others by their thread. Those for the grid are put into a queue.

#pragma once

#include "adjacency.cuh"
#include "block_scan.cuh"

// Threads of the largest block.
#define MOST_THREADS 1024

// Where neighbours are found, and what becomes of those that have no level yet. They
// are claimed by a swap and enqueued at once, or they are only marked: several threads
// may mark one, which does no harm, but none of them knows how many vertices there are.
struct Expanding {
  const offset_t *offsets;
  const int *neighbours;
  int *level;      // distance from the source, -1 where not visited yet
  int *next;       // queue of the vertices that are claimed
  int *next_size;  // their number
  int next_depth;  // the distance that vertices get
  bool marks;      // whether they are only marked
};

// What a thread has claimed.
struct Claimed {
  unsigned long long vertices;
  unsigned long long edges;
};

// Looks at the neighbour at position e.
__device__ __forceinline__ Claimed visit_edge(Expanding to, offset_t e, Claimed sum) {
  int v = to.neighbours[e];
  // The plain read spares visited vertices the atomic, and they are the most.
  if (to.level[v] < 0) {
    if (to.marks) {
      to.level[v] = to.next_depth;
    } else if (atomicCAS(&to.level[v], -1, to.next_depth) == -1) {
      to.next[atomicAdd(to.next_size, 1)] = v;
      offset_t end = to.offsets[v + 1];
      sum.vertices++;
      sum.edges += end - to.offsets[v];
    }
  }
  return sum;
}

// Looks at the neighbours at positions first, first + stride, … before `end`.
__device__ __forceinline__ Claimed visit_range(Expanding to, offset_t first, offset_t end,
                                               int stride, Claimed sum) {
  #pragma unroll 1
  for (offset_t e = first; e < end; e += stride) sum = visit_edge(to, e, sum);
  __syncwarp();
  return sum;
}

// The vertices for the block, one after the other, all threads side by side.
__device__ __forceinline__ Claimed visit_by_block(Expanding to, int own, Claimed sum) {
  __shared__ int large[MOST_THREADS];  // the vertices, in any order
  __shared__ int large_size;
  if (threadIdx.x == 0) large_size = 0;
  __syncthreads();
  if (own >= 0) large[atomicAdd(&large_size, 1)] = own;
  __syncthreads();
  int size = large_size;
  #pragma unroll 1
  for (int i = 0; i < size; i++) {
    Adjacency edges = adjacency_of(to.offsets, large[i]);
    sum = visit_range(to, edges.begin + threadIdx.x, edges.end, blockDim.x, sum);
  }
  return sum;
}

// The same for the lanes of a warp: a ballot says which of them have such a vertex.
__device__ __forceinline__ Claimed visit_by_warp(Expanding to, Adjacency own, bool wide,
                                                 Claimed sum) {
  unsigned votes = __ballot_sync(EVERY_LANE, wide);
  #pragma unroll 1
  while (votes != 0) {
    int owner = __ffs(votes) - 1;
    offset_t begin = __shfl_sync(EVERY_LANE, own.begin, owner);
    offset_t end = __shfl_sync(EVERY_LANE, own.end, owner);
    sum = visit_range(to, begin + threadIdx.x % warpSize, end, warpSize, sum);
    votes &= votes - 1;  // without the lowest of them
  }
  return sum;
}

// Expands one vertex for each thread, or none if it is -1. All threads of the block
// must call together.
// huge, huge_size: queue of the vertices that have at least `grid_degree` edges.
__device__ __forceinline__ Claimed visit_by_class(Expanding to, int u, int *huge,
                                                  int *huge_size, int grid_degree) {
  Claimed sum = {0, 0};
  Adjacency own = adjacency_of(to.offsets, u);
  offset_t degree = own.end - own.begin;
  bool by_grid = degree >= grid_degree;
  bool by_block = !by_grid && degree >= blockDim.x;
  bool by_warp = !by_grid && !by_block && degree >= warpSize;
  if (by_grid) huge[atomicAdd(huge_size, 1)] = u;
  sum = visit_by_block(to, by_block ? u : -1, sum);
  sum = visit_by_warp(to, own, by_warp, sum);
  offset_t end = degree < warpSize && !by_grid ? own.end : own.begin;
  return visit_range(to, own.begin, end, 1, sum);
}

// Expands the vertices of a queue by all threads of the grid, one after the other.
__device__ __forceinline__ Claimed visit_by_grid(Expanding to, const int *huge,
                                                 const int *huge_size) {
  Claimed sum = {0, 0};
  int size = *huge_size;
  offset_t thread = (offset_t)blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int i = 0; i < size; i++) {
    Adjacency edges = adjacency_of(to.offsets, huge[i]);
    sum = visit_range(to, edges.begin + thread, edges.end, threads, sum);
  }
  return sum;
}

// Adds what the threads of the block have claimed: an atomic a figure, or none. All of
// them must call together.
// found[0]: vertices, found[1]: their edges; the host resets both.
__device__ __forceinline__ void add_claimed(Claimed sum, unsigned long long *found) {
  block_add(&found[0], sum.vertices);
  block_add(&found[1], sum.edges);
}
