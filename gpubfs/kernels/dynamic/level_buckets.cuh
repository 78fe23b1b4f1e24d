// Buckets of vertices by level: a counting sort, and a way from bucket to bucket.
//
// Kernels list vertices with the level that each belongs to. One block turns counts
// into places, and a kernel fills the buckets. Level d's bucket is then
// sorted[ends[d]] up to, not including, sorted[ends[d + 1]].
//
// Levels are unsigned here, so that -1, not reached, is the largest: what is nearer is
// less, and atomicMin takes it.

#pragma once

#include "block_scan.cuh"

#define FAR 0xffffffffu

// state: what the host reads between two launches, so that one read is enough.
#define QUEUED 0        // vertices that a level has enqueued for the one after it
#define AHEAD 1         // the next level that has a bucket, -1 behind the last
#define AHEAD_SIZE 2    // how many vertices are in that bucket
#define LISTED 3        // vertices that are listed for the buckets
#define SEEDS 4         // vertices whose level must be looked for
#define TOUCHED_LATE 5  // vertices touched that were no suspects

// Where vertices are listed.
// listed, listed_depth: vertices in any order, and the level of each.
// ends[d + 1]: how many were listed with level d; 0 before.
// span[0], [1]: the lowest level that was listed, and the highest.
struct Buckets {
  int *listed;
  int *listed_depth;
  int *ends;
  int *span;
  int *state;
};

// Lists v for the bucket of level `depth`.
__device__ void list(Buckets buckets, int v, int depth) {
  int place = atomicAdd(&buckets.state[LISTED], 1);
  buckets.listed[place] = v;
  buckets.listed_depth[place] = depth;
  atomicAdd(&buckets.ends[depth + 1], 1);
  // The plain reads spare nearly all of these atomics, which meet at two addresses.
  if (depth < buckets.span[0]) atomicMin(&buckets.span[0], depth);
  if (depth > buckets.span[1]) atomicMax(&buckets.span[1], depth);
}

// One block: counts become the places where buckets begin, from the lowest level on.
extern "C" __global__ void place_buckets(int *ends, const int *span, int *state) {
  __shared__ int warp_totals[MOST_WARPS];
  __shared__ int placed;  // vertices of the levels before
  int lowest = span[0];
  int highest = span[1];
  if (threadIdx.x == 0) {
    placed = 0;
    state[AHEAD] = lowest <= highest ? lowest : -1;
    state[AHEAD_SIZE] = lowest <= highest ? ends[lowest + 1] : 0;
  }
  __syncthreads();
  #pragma unroll 1
  for (int first = lowest; first <= highest; first += blockDim.x) {
    int depth = first + threadIdx.x;
    int count = depth <= highest ? ends[depth + 1] : 0;
    int begin = placed + block_exclusive_sum(count, warp_totals);
    __syncthreads();  // all have read `placed`
    if (depth <= highest) ends[depth + 1] = begin;
    if (threadIdx.x == blockDim.x - 1) placed = begin + count;
    __syncthreads();
  }
}

// A thread for each vertex that is listed; where a bucket begins becomes where it ends.
// sorted, sorted_depth: the same vertices by ascending level.
// level[v]: becomes the level that v was listed with.
extern "C" __global__ void fill_buckets(const int *listed, const int *listed_depth, int *ends,
                                        const int *state, int *sorted, int *sorted_depth,
                                        unsigned *level) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= state[LISTED]) return;
  int depth = listed_depth[i];
  int place = atomicAdd(&ends[depth + 1], 1);
  sorted[place] = listed[i];
  sorted_depth[place] = depth;
  level[listed[i]] = depth;
}

// Tells the host of the bucket behind `position`: by one thread of the grid.
__device__ void look_ahead(const int *sorted_depth, int position, const int *ends, int *state) {
  int depth = position < state[LISTED] ? sorted_depth[position] : -1;
  state[AHEAD] = depth;
  state[AHEAD_SIZE] = depth < 0 ? 0 : ends[depth + 1] - position;
}
