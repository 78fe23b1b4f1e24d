// Levels of few candidates: one block, and nothing that others share.
//
// What is visited and the queues are in shared memory, so that a level waits for global
// memory twice: for where a new vertex's edges lie, and for its neighbours. The first
// is asked for before it is known whether the vertex is new.

#pragma once

#include "best_state.cuh"
#include "visited_map.cuh"
#include "warp_scan.cuh"

// Neighbours that a thread keeps in registers, and so loads all at once.
#define HELD 4

// A queue of candidates: the first `capacity` in shared memory, the others, which are
// for another kernel, in `spilled`.
struct HeldQueue {
  int *held;
  int *spilled;
  int capacity;
};

__device__ __forceinline__ void put(HeldQueue queue, int place, int v) {
  if (place < queue.capacity) {
    queue.held[place] = v;
  } else {
    queue.spilled[place] = v;
  }
}

// Appends the neighbours of each lane's vertex. All lanes of the warp call together.
__device__ __forceinline__ void append_neighbours(const int *neighbours, Chunk edges,
                                                  HeldQueue next, int *tail) {
  int lane = threadIdx.x % warpSize;
  int degree = (int)(edges.end - edges.begin);
  int own[HELD];  // indexed with constants, and so in registers
  #pragma unroll
  for (int k = 0; k < HELD; k++) own[k] = k < degree ? neighbours[edges.begin + k] : 0;
  // While these are under way, the warp reserves places for all of its lanes.
  int sum = warp_inclusive_sum(degree);
  int first = 0;
  if (lane == warpSize - 1 && sum > 0) first = atomicAdd(tail, sum);
  int place = __shfl_sync(EVERY_LANE, first, warpSize - 1) + sum - degree;
  #pragma unroll
  for (int k = 0; k < HELD; k++) {
    if (k < degree) put(next, place + k, own[k]);
  }
  // The lanes take longer lists together, one after the other.
  unsigned longer = __ballot_sync(EVERY_LANE, degree > HELD);
  #pragma unroll 1
  while (longer != 0) {
    int owner = __ffs(longer) - 1;
    longer &= longer - 1;
    offset_t begin = __shfl_sync(EVERY_LANE, edges.begin, owner);
    int length = __shfl_sync(EVERY_LANE, degree, owner);
    int to = __shfl_sync(EVERY_LANE, place, owner);
    #pragma unroll 1
    for (int k = HELD + lane; k < length; k += warpSize) {
      put(next, to + k, neighbours[begin + k]);
    }
  }
}

// One block. Expands levels as long as they have up to `few` candidates, which are no
// more than it has threads.
// Dynamic shared memory: the map, whole rows of 32 words; then two queues of `few`.
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
    best_block(const offset_t *offsets, const int *neighbours, int *level, int vertices,
               int source, unsigned *visited, int *even, int *odd, Left *left, int *ways,
               int few, int fewest) {
  extern __shared__ unsigned map[];
  // Tails of three levels, by turns: the one that is reset is neither read nor added to.
  __shared__ int tails[3];
  Left now = *left;
  const int *queue = now.odd ? odd : even;
  if (now.depth == 0) {
    // The candidates of the source are where they are.
    queue = neighbours + offsets[source];
    now.candidates = (int)(offsets[source + 1] - offsets[source]);
  }
  if (now.over || now.refused || now.chunks > 0 || now.candidates > few) return;

  int words = (vertices + 31) / 32;
  int *held = (int *)map + (words + 31) / 32 * 32;
  int *next_held = held + few;
  #pragma unroll 4
  for (int i = threadIdx.x; i < words; i += blockDim.x) map[banked(i)] = visited[i];
  int size = now.candidates;
  if (threadIdx.x < size) held[threadIdx.x] = queue[threadIdx.x];
  if (threadIdx.x == 0) tails[0] = tails[1] = tails[2] = 0;
  __syncthreads();

  int turn = 0;
  #pragma unroll 1
  while (0 < size && size <= few) {
    if (threadIdx.x == 0) ways[now.depth] = IN_BLOCK;
    now.depth++;
    now.odd = !now.odd;
    int after = turn == 2 ? 0 : turn + 1;
    HeldQueue next = {next_held, now.odd ? odd : even, few};
    // Warps without a candidate have nothing to do.
    if (threadIdx.x / warpSize * warpSize < size) {
      Chunk edges = {0, 0};
      if (threadIdx.x < size) {
        int v = held[threadIdx.x];
        Chunk all = edges_to_expand(offsets, v, fewest);
        if (visit_first(&map[banked(v / 32)], v)) {
          level[v] = now.depth;
          edges = all;
        }
      }
      append_neighbours(neighbours, edges, next, &tails[after]);
    }
    if (threadIdx.x == 0) tails[after == 2 ? 0 : after + 1] = 0;
    __syncthreads();
    turn = after;
    size = tails[turn];
    int *expanded = held;
    held = next_held;
    next_held = expanded;
  }

  if (size > 0) {
    #pragma unroll 4
    for (int i = threadIdx.x; i < words; i += blockDim.x) visited[i] = map[banked(i)];
    int *rest = now.odd ? odd : even;
    if (threadIdx.x < few) rest[threadIdx.x] = held[threadIdx.x];
  }
  if (threadIdx.x == 0) {
    now.candidates = size;
    now.over = size == 0;
    *left = now;
  }
}
