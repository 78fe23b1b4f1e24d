// How a block shares out the edges of its tile, a vertex of the frontier for each thread.
//
// A tile is a vertex of the frontier for each thread of the block. Threads whose
// vertex has at least as many edges as the block has threads vie for the block:
// each writes its number to one word, whoever is found there has won, and all
// threads look at the winner's edges. Then the same within each warp. What is left
// is less than a warp's width each: threads write the positions of their edges
// behind each other into shared memory, and every thread reads one of them.
//
// What edges are, and how one is looked at, is said by macros: neighbours in compressed
// sparse rows, unless the file that includes this one says otherwise.

#pragma once

#include "adjacency.cuh"
#include "block_scan.cuh"
#include "claim.cuh"

// EDGES:       what the edges at positions are passed as.
// CLAIM_AT:    claims the vertex of the edge at one position, as `claim` does.
// CLAIM_RANGE: those at positions first, first + stride, … before `end`.
#ifndef EDGES
#define EDGES const int *
#define CLAIM_AT(neighbours, e, level, next, next_size, next_depth) \
  claim(neighbours[e], level, next, next_size, next_depth)
#define CLAIM_RANGE claim_range
#endif

// In the functions below a thread has the edges at [begin, end) still to share out.
// All threads of the block call together.

// Threads with at least blockDim.x edges, one after another. Returns where the
// thread's own edges begin now: at `end` if the block has looked at them.
__device__ offset_t gather_by_block(EDGES neighbours, offset_t begin, offset_t end,
                                    int *level, int *next, int *next_size, int next_depth) {
  __shared__ int winner;
  __shared__ offset_t won_begin;
  __shared__ offset_t won_end;
  int threads = blockDim.x;
  #pragma unroll 1
  while (__syncthreads_or(end - begin >= threads)) {
    // All store at the same time, and one of them stays: whichever it is, it leaves.
    if (end - begin >= threads) winner = threadIdx.x;
    __syncthreads();
    if (winner == threadIdx.x) {
      won_begin = begin;
      won_end = end;
      begin = end;
    }
    __syncthreads();
    CLAIM_RANGE(neighbours, won_begin + threadIdx.x, won_end, threads, level, next, next_size,
                next_depth);
  }
  return begin;
}

// The same for a warp and threads with at least warpSize edges.
__device__ offset_t gather_by_warp(EDGES neighbours, offset_t begin, offset_t end,
                                   int *level, int *next, int *next_size, int next_depth) {
  __shared__ int warp_winner[MOST_WARPS];
  __shared__ offset_t warp_begin[MOST_WARPS];
  __shared__ offset_t warp_end[MOST_WARPS];
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  #pragma unroll 1
  while (__any_sync(EVERY_LANE, end - begin >= warpSize)) {
    if (end - begin >= warpSize) warp_winner[warp] = lane;
    __syncwarp();
    if (warp_winner[warp] == lane) {
      warp_begin[warp] = begin;
      warp_end[warp] = end;
      begin = end;
    }
    __syncwarp();
    CLAIM_RANGE(neighbours, warp_begin[warp] + lane, warp_end[warp], warpSize, level, next,
                next_size, next_depth);
  }
  return begin;
}

// All that is left, blockDim.x edges a round.
// Dynamic shared memory: an offset_t for each thread.
__device__ void gather_by_scan(EDGES neighbours, offset_t begin, offset_t end, int *level,
                               int *next, int *next_size, int next_depth) {
  extern __shared__ offset_t positions[];
  __shared__ int warp_totals[MOST_WARPS];
  __shared__ int total;
  int threads = blockDim.x;
  int degree = (int)(end - begin);
  // Which of the block's remaining edges is the thread's first.
  int rank = block_exclusive_sum(degree, warp_totals);
  if (threadIdx.x == threads - 1) total = rank + degree;
  __syncthreads();
  int edges = total;
  #pragma unroll 1
  for (int done = 0; done < edges; done += threads) {
    int limit = done + threads;
    #pragma unroll 1
    while (begin < end && rank < limit) {
      positions[rank - done] = begin;
      begin++;
      rank++;
    }
    __syncthreads();
    int own = done + threadIdx.x;
    if (own < edges) {
      CLAIM_AT(neighbours, positions[threadIdx.x], level, next, next_size, next_depth);
    }
    __syncthreads();  // the next round writes `positions` again
  }
}
