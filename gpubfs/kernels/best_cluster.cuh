// Levels of more candidates than one block likes: the blocks of a cluster.
//
// Each block owns the vertices of every RANKS-th word of the map, which is in its shared
// memory, as in a search on machines with distributed memory. It posts the neighbours
// that it finds to their owners: it writes them into their shared memory, where each
// block has slots of its own, so that it counts by itself where the next one goes.
// Nobody waits for a write before the barrier of the cluster, and nobody tells the owner
// how many there are: an empty slot says NOTHING. Where GPUs have no clusters, RANKS
// is 1.

#pragma once

#include "best_state.cuh"
#include "visited_map.cuh"
#include "warp_scan.cuh"
#include "warp_search.cuh"

#if RANKS > 1
#define OF_RANKS __cluster_dims__(RANKS)
#define CLUSTER_RANK() ((int)cg::this_cluster().block_rank())
#define CLUSTER_SYNC() cg::this_cluster().sync()
#define OF_RANK(pointer, rank) cg::this_cluster().map_shared_rank(pointer, rank)
#else
#define OF_RANKS
#define CLUSTER_RANK() 0
#define CLUSTER_SYNC() __syncthreads()
#define OF_RANK(pointer, rank) (pointer)
#endif

// Slots that a block has for the candidates of a level, and those of them that each block
// may fill: rank r has the slots r, RANKS + r, 2 * RANKS + r, ...
#define SLOTS (4 * BLOCK)
#define SLOTS_OF_RANK (SLOTS / RANKS)
#define NOTHING -1

// Levels after which the cluster looks whether it should go on.
#ifndef CHECKED
#define CHECKED 8
#endif

// Who owns v, and where its word is in the owner's map.
__device__ __forceinline__ int owner_of(int v) { return v / 32 % RANKS; }
__device__ __forceinline__ int owned_word(int v) { return banked(v / 32 / RANKS); }

// What a block needs to post a candidate.
struct Post {
  int *slots;    // its own ones in its own memory; in other blocks' they are at the same place
  int *posted;   // how many it has filled of each owner's
  int *full;     // whether someone found none free; each block has its own
  int *queue;    // in global memory, for candidates that found none free
  int *spilled;  // how many these are
};

__device__ __forceinline__ void post(Post to, int v) {
  int owner = owner_of(v);
  int place = atomicAdd(&to.posted[owner], 1);
  if (place < SLOTS_OF_RANK) {
    OF_RANK(to.slots, owner)[place * RANKS] = v;
  } else {
    to.queue[atomicAdd(to.spilled, 1)] = v;
    for (int rank = 0; rank < RANKS; rank++) *OF_RANK(to.full, rank) = 1;
  }
}

// Posts the neighbours of all lanes' vertices, each by another lane. All lanes of the
// warp call together.
__device__ __forceinline__ void post_neighbours(const int *neighbours, Chunk edges, Post to) {
  int degree = (int)(edges.end - edges.begin);
  int sum = warp_inclusive_sum(degree);
  int total = __shfl_sync(EVERY_LANE, sum, warpSize - 1);
  offset_t first = edges.begin - (sum - degree);  // of the edge that would have number 0
  #pragma unroll 1
  for (int begin = 0; begin < total; begin += warpSize) {
    int number = begin + threadIdx.x % warpSize;
    int lane = warp_search(sum - degree, number);
    offset_t position = __shfl_sync(EVERY_LANE, first, lane) + number;
    if (number < total) post(to, neighbours[position]);
  }
}

// How many candidates a block has posted, or all blocks.
__device__ __forceinline__ int posted_by(int *posted) {
  int sum = 0;
  #pragma unroll
  for (int owner = 0; owner < RANKS; owner++) sum += posted[owner];
  return sum;
}

__device__ __forceinline__ int posted_by_all(int *posted) {
  int sum = 0;
  #pragma unroll
  for (int rank = 0; rank < RANKS; rank++) sum += posted_by(OF_RANK(posted, rank));
  return sum;
}

// One cluster. Expands levels as long as they have from `few` to `many` candidates; it
// looks at that from time to time.
// Dynamic shared memory: the block's part of the map, whole rows of 32 words; then the
// slots of two levels.
extern "C" __global__ void OF_RANKS __launch_bounds__(BLOCK, 1)
    best_cluster(const offset_t *offsets, const int *neighbours, int *level, int vertices,
                 unsigned *visited, int *even, int *odd, Left *left, int *ways, int *spilled,
                 int few, int many, int fewest) {
  extern __shared__ unsigned map[];
  __shared__ int posted[3][RANKS];  // of three levels, by turns, as best_block's tails
  __shared__ int full[3];           // the same
  __shared__ int deepest;
  __shared__ int total;
  Left now = *left;
  if (now.over || now.refused || now.chunks > 0 || now.depth == 0) return;
  if (now.candidates < few || now.candidates > many) return;

  int rank = CLUSTER_RANK();
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  int warps = blockDim.x / warpSize;
  int words = (vertices + 31) / 32;
  int own_words = (words + RANKS - 1) / RANKS;
  int *slots = (int *)map + (own_words + 31) / 32 * 32;
  #pragma unroll 4
  for (int i = threadIdx.x; i < own_words; i += blockDim.x) {
    int word = i * RANKS + rank;
    map[banked(i)] = word < words ? visited[word] : 0;
  }
  #pragma unroll 4
  for (int i = threadIdx.x; i < 2 * SLOTS; i += blockDim.x) slots[i] = NOTHING;
  #pragma unroll 1
  for (int i = threadIdx.x; i < 3 * RANKS; i += blockDim.x) posted[i / RANKS][i % RANKS] = 0;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 3; i++) full[i] = 0;
    deepest = 0;
  }
  CLUSTER_SYNC();
  const int *queue = now.odd ? odd : even;
  int *rest = now.odd ? even : odd;
  Post to = {slots + rank, posted[0], &full[0], rest, spilled};
  #pragma unroll 1
  for (int i = rank * blockDim.x + threadIdx.x; i < now.candidates; i += RANKS * blockDim.x) {
    post(to, queue[i]);
  }
  CLUSTER_SYNC();

  int first = now.depth;
  int last = first;  // that had candidates, for this warp
  int turn = 0;
  int half = 0;
  #pragma unroll 1
  while (!full[turn]) {
    if ((now.depth - first) % CHECKED == CHECKED - 1) {
      if (threadIdx.x == 0) total = posted_by_all(posted[turn]);
      __syncthreads();
      if (total < few || total > many) break;
    }
    now.depth++;
    int after = turn == 2 ? 0 : turn + 1;
    int *inbound = slots + half * SLOTS;
    half = 1 - half;
    to.slots = slots + half * SLOTS + rank;
    to.posted = posted[after];
    to.full = &full[after];
    // Few candidates are spread over all warps: a warp's work is one step after another.
    // About as many have come as this block has posted. A warp has whole rows, with a slot
    // of each rank, so that where it finds none there are none behind.
    int rows = max(1, (posted_by(posted[turn]) / warps + RANKS - 1) / RANKS);
    int each = min(warpSize, rows * RANKS);
    #pragma unroll 1
    for (int begin = warp * each; begin < SLOTS; begin += warps * each) {
      int at = begin + lane;
      int v = lane < each && at < SLOTS ? inbound[at] : NOTHING;
      if (!__any_sync(EVERY_LANE, v != NOTHING)) break;
      last = now.depth;
      Chunk edges = {0, 0};
      if (v != NOTHING) {
        inbound[at] = NOTHING;
        if (visit_first(&map[owned_word(v)], v)) {
          level[v] = now.depth;
          edges = edges_to_expand(offsets, v, fewest);
        }
      }
      __syncwarp();
      if (__any_sync(EVERY_LANE, edges.begin < edges.end)) post_neighbours(neighbours, edges, to);
    }
    if (threadIdx.x < RANKS) posted[after == 2 ? 0 : after + 1][threadIdx.x] = 0;
    CLUSTER_SYNC();
    turn = after;
  }

  // What is in slots follows what found none free.
  #pragma unroll 1
  for (int i = threadIdx.x; i < own_words; i += blockDim.x) {
    int word = i * RANKS + rank;
    if (word < words) visited[word] = map[banked(i)];
  }
  #pragma unroll 1
  for (int i = threadIdx.x; i < SLOTS; i += blockDim.x) {
    int v = slots[half * SLOTS + i];
    if (v != NOTHING) rest[atomicAdd(spilled, 1)] = v;
  }
  if (lane == 0) atomicMax(OF_RANK(&deepest, 0), last);
  CLUSTER_SYNC();
  if (rank > 0) return;
  int left_over = *spilled;
  if (left_over == 0) now.depth = deepest;
  #pragma unroll 1
  for (int d = first + threadIdx.x; d < now.depth; d += blockDim.x) ways[d] = IN_CLUSTER;
  __syncthreads();
  if (threadIdx.x == 0) {
    now.odd = !now.odd;
    now.candidates = left_over;
    now.refused = left_over >= few;
    now.over = left_over == 0;
    *left = now;
    *spilled = 0;
  }
}
