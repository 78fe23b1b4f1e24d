// Supports: what takes a level's heavy vertices before the basic mapping gets the rest.
//
// Busato and Bombieri 2018, Section 3.4. SUPPORTS says which: any of the three, or
// none. A vertex is tested for the largest group of threads first: bins for much of
// the GPU, then the whole block, then the whole warp.

#pragma once

#include "binary_scan.cuh"
#include "expansion.cuh"

#define SUPPORTS_NONE 0
#define SUPPORTS_WARP 1
#define SUPPORTS_BLOCK 2
#define SUPPORTS_WARP_BLOCK 3
#define SUPPORTS_QUEUES 4
#define SUPPORTS_WARP_QUEUES 5
#define SUPPORTS_BLOCK_QUEUES 6
#define SUPPORTS_WARP_BLOCK_QUEUES 7
#ifndef SUPPORTS
#define SUPPORTS SUPPORTS_NONE
#endif

// Parameters of a kernel with supplementary queues, behind the others, as `Bins`
// describes them; without these queues there are none.
#if SUPPORTS & SUPPORTS_QUEUES
#include "supplementary_queues.cuh"
#define BIN_PARAMETERS , int *bins, int *bin_sizes, int capacity, int threshold, int base, int last
#define BIN_ARGUMENTS , bins, bin_sizes, capacity, threshold, base, last
#define DEFER(own) defer({bins, bin_sizes, capacity, threshold, base, last}, own)
#else
#define BIN_PARAMETERS
#define BIN_ARGUMENTS
#define DEFER(own)
#endif

// The basic mapping, which the kernel's file has included: expands what is left of the
// lanes' vertices. All lanes of the warp call together, those without a vertex, too.
// slots: shared memory for SLOTS elements for each thread, which the mapping says.
__device__ void expand(Expansion to, Adjacency own, offset_t *slots);

// Keeps a heavy vertex's range of edges at its rank, for the `threads` that take it
// together, and leaves no edges of it to the lane.
__device__ void keep(Adjacency *own, offset_t *ranges, int rank, int threads) {
  ranges[rank] = own->begin;
  ranges[threads + rank] = own->end;
  own->end = own->begin;
}

// Warp gathering: the lanes' vertices with more edges than a warp has lanes, one
// after the other, all lanes side by side. The filtered prefix sum gives them
// places without gaps: no lane looks for the next heavy vertex.
// ranges: shared memory for two elements for each lane of the warp.
__device__ void gather_by_warp(Expansion to, Adjacency *own, offset_t *ranges) {
  bool heavy = own->end - own->begin > warpSize;
  unsigned votes = votes_of(heavy);
  if (heavy) keep(own, ranges, rank_among(votes), warpSize);
  __syncwarp();
  int lane = threadIdx.x % warpSize;
  int count = __popc(votes);
  #pragma unroll 1
  for (int h = 0; h < count; h++) look_at(to, ranges[h] + lane, ranges[warpSize + h], warpSize);
  __syncwarp();  // others write `ranges` again
}

// Block gathering: the same for vertices with more edges than the block has threads.
// Each warp adds its number of them to one counter and gets back where its ranks
// begin: in any order of warps, which is all that the block needs.
// ranges: shared memory for two elements for each thread of the block.
__device__ void gather_by_block(Expansion to, Adjacency *own, offset_t *ranges) {
  __shared__ int heavy_vertices;  // of the block
  int threads = blockDim.x;
  if (threadIdx.x == 0) heavy_vertices = 0;
  __syncthreads();

  bool heavy = own->end - own->begin > threads;
  unsigned votes = votes_of(heavy);
  int first = 0;
  if (threadIdx.x % warpSize == 0) first = atomicAdd(&heavy_vertices, __popc(votes));
  first = __shfl_sync(EVERY_LANE, first, 0);
  if (heavy) keep(own, ranges, first + rank_among(votes), threads);
  __syncthreads();

  int count = heavy_vertices;
  #pragma unroll 1
  for (int h = 0; h < count; h++) look_at(to, ranges[h] + threadIdx.x, ranges[threads + h], threads);
  __syncthreads();  // the next call writes `heavy_vertices` and `ranges` again
}

// Lets the gathering supports expand what is theirs of the block's vertices.
// slots: shared memory for SLOTS elements for every thread, at least two.
__device__ void gather(Expansion to, Adjacency *own, offset_t *slots) {
#if SUPPORTS & SUPPORTS_BLOCK
  gather_by_block(to, own, slots);
#endif
#if SUPPORTS & SUPPORTS_WARP
  gather_by_warp(to, own, warp_slice(slots, SLOTS));
#endif
}

// A level: the grid goes through the frontier, a vertex for each thread at a time.
// frontier: queue of the vertices at distance to.next_depth - 1.
// slots:    dynamic shared memory, SLOTS elements for each thread.
__device__ void expand_frontier(const offset_t *offsets, const int *frontier, int frontier_size,
                                Expansion to, offset_t *slots BIN_PARAMETERS) {
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int first = blockIdx.x * blockDim.x; first < frontier_size; first += threads) {
    int i = first + threadIdx.x;
    Adjacency own = adjacency_of(offsets, entry(frontier, frontier_size, i));
    DEFER(&own);
    gather(to, &own, slots);
    expand(to, own, slots);
  }
}
