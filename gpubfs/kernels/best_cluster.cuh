// Levels of more candidates than one block likes: the blocks of a cluster.
//
// Each block owns the vertices of every RANKS-th word of the map, which is in its shared
// memory, as in a search on machines with distributed memory. It sorts the neighbours
// that it finds by owner, into a segment for each block; after the barrier of the
// cluster each block looks at its segments in all of them. Where GPUs have no clusters,
// RANKS is 1.

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

// Candidates of a segment: as many for all owners together as a block has room for.
#define SEGMENT (4096 / RANKS)

// Who owns v, and where its word is in the owner's map.
__device__ __forceinline__ int owner_of(int v) { return v / 32 % RANKS; }
__device__ __forceinline__ int owned_word(int v) { return banked(v / 32 / RANKS); }

// The segments of a block: SEGMENT candidates for each rank; what finds no room goes to
// the queue in global memory, behind `spilled`, and the cluster leaves.
struct Segments {
  int *held;
  int *sizes;
  int *queue;
  int *spilled;
};

__device__ __forceinline__ void send(Segments to, int v) {
  int owner = owner_of(v);
  int place = atomicAdd(&to.sizes[owner], 1);
  if (place < SEGMENT) {
    to.held[owner * SEGMENT + place] = v;
  } else {
    to.queue[atomicAdd(to.spilled, 1)] = v;
  }
}

// Sends the neighbours of all lanes' vertices, each by another lane. All lanes of the
// warp call together.
__device__ __forceinline__ void send_neighbours(const int *neighbours, Chunk edges,
                                                Segments to) {
  int degree = (int)(edges.end - edges.begin);
  int sum = warp_inclusive_sum(degree);
  int total = __shfl_sync(EVERY_LANE, sum, warpSize - 1);
  offset_t first = edges.begin - (sum - degree);  // of the edge that would have number 0
  #pragma unroll 1
  for (int begin = 0; begin < total; begin += warpSize) {
    int number = begin + threadIdx.x % warpSize;
    int lane = warp_search(sum - degree, number);
    offset_t position = __shfl_sync(EVERY_LANE, first, lane) + number;
    if (number < total) send(to, neighbours[position]);
  }
}

// What the first warp finds out for its block: where the candidates in each block's
// segment begin if they are counted through, and whether the cluster goes on.
struct Inbound {
  int starts[RANKS + 1];
  int total;  // of the whole cluster
  bool full;  // whether some segment overflowed
};

__device__ void look_around(Inbound *inbound, const int *sizes, int rank) {
  int lane = threadIdx.x % warpSize;
  int total = 0;
  bool full = false;
  int own = 0;  // candidates that block `lane` has for this one
  #pragma unroll 1
  for (int i = lane; i < RANKS * RANKS; i += warpSize) {
    int size = OF_RANK((int *)sizes, i / RANKS)[i % RANKS];
    total += size;
    full |= size > SEGMENT;
  }
  if (lane < RANKS) own = OF_RANK((int *)sizes, lane)[rank];
  __syncwarp();
  int sum = warp_inclusive_sum(own);
  if (lane < RANKS) inbound->starts[lane + 1] = sum;
  total = __shfl_sync(EVERY_LANE, warp_inclusive_sum(total), warpSize - 1);
  full = __any_sync(EVERY_LANE, full);
  if (lane == 0) {
    inbound->starts[0] = 0;
    inbound->total = total;
    inbound->full = full;
  }
}

// Candidate `at` of all that the blocks have for this one.
__device__ __forceinline__ int inbound_candidate(const Inbound *inbound, int *held, int rank,
                                                 int at) {
  int from = 0;
  #pragma unroll
  for (int r = 1; r < RANKS; r++) from += inbound->starts[r] <= at;
  return OF_RANK(held, from)[rank * SEGMENT + at - inbound->starts[from]];
}

// One cluster. Expands levels as long as they have from `few` to `many` candidates.
// Dynamic shared memory: the block's part of the map, whole rows of 32 words; then the
// segments of two levels.
extern "C" __global__ void OF_RANKS __launch_bounds__(BLOCK, 1)
    best_cluster(const offset_t *offsets, const int *neighbours, int *level, int vertices,
                 unsigned *visited, int *even, int *odd, Left *left, int *ways, int *spilled,
                 int few, int many, int fewest) {
  extern __shared__ unsigned map[];
  __shared__ int sizes[3][RANKS];  // of three levels, by turns, as best_block's tails
  __shared__ int firsts[RANKS];
  __shared__ Inbound inbound;
  Left now = *left;
  if (now.over || now.refused || now.chunks > 0 || now.depth == 0) return;
  if (now.candidates < few || now.candidates > many) return;

  int rank = CLUSTER_RANK();
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  int warps = blockDim.x / warpSize;
  int words = (vertices + 31) / 32;
  int own_words = (words + RANKS - 1) / RANKS;
  int *held = (int *)map + (own_words + 31) / 32 * 32;
  #pragma unroll 4
  for (int i = threadIdx.x; i < own_words; i += blockDim.x) {
    int word = i * RANKS + rank;
    map[banked(i)] = word < words ? visited[word] : 0;
  }
  #pragma unroll 1
  for (int i = threadIdx.x; i < 3 * RANKS; i += blockDim.x) sizes[i / RANKS][i % RANKS] = 0;
  __syncthreads();
  const int *queue = now.odd ? odd : even;
  int *rest = now.odd ? even : odd;
  Segments to = {held, sizes[0], rest, spilled};
  #pragma unroll 1
  for (int i = rank * blockDim.x + threadIdx.x; i < now.candidates; i += RANKS * blockDim.x) {
    send(to, queue[i]);
  }
  CLUSTER_SYNC();

  int turn = 0;
  int half = 0;
  #pragma unroll 1
  while (true) {
    if (warp == 0) look_around(&inbound, sizes[turn], rank);
    __syncthreads();
    if (inbound.full || inbound.total < few || inbound.total > many) break;
    if (rank == 0 && threadIdx.x == 0) ways[now.depth] = IN_CLUSTER;
    now.depth++;
    int after = turn == 2 ? 0 : turn + 1;
    int *mine = held + half * RANKS * SEGMENT;
    half = 1 - half;
    to.held = held + half * RANKS * SEGMENT;
    to.sizes = sizes[after];
    // Few candidates are spread over all warps: a warp's work is one step after another.
    int size = inbound.starts[RANKS];
    int each = min(warpSize, max(4, (size + warps - 1) / warps));
    #pragma unroll 1
    for (int begin = warp * each; begin < size; begin += warps * each) {
      Chunk edges = {0, 0};
      if (lane < each && begin + lane < size) {
        int v = inbound_candidate(&inbound, mine, rank, begin + lane);
        if (visit_first(&map[owned_word(v)], v)) {
          level[v] = now.depth;
          edges = edges_to_expand(offsets, v, fewest);
        }
      }
      __syncwarp();
      if (__any_sync(EVERY_LANE, edges.begin < edges.end)) send_neighbours(neighbours, edges, to);
    }
    if (threadIdx.x < RANKS) sizes[after == 2 ? 0 : after + 1][threadIdx.x] = 0;
    CLUSTER_SYNC();
    turn = after;
  }

  // What is in segments follows what found no room in them.
  #pragma unroll 1
  for (int i = threadIdx.x; i < own_words; i += blockDim.x) {
    int word = i * RANKS + rank;
    if (word < words) visited[word] = map[banked(i)];
  }
  if (threadIdx.x < RANKS) {
    firsts[threadIdx.x] = atomicAdd(spilled, min(sizes[turn][threadIdx.x], SEGMENT));
  }
  __syncthreads();
  #pragma unroll 1
  for (int i = threadIdx.x; i < RANKS * SEGMENT; i += blockDim.x) {
    int owner = i / SEGMENT;
    if (i % SEGMENT < sizes[turn][owner]) {
      rest[firsts[owner] + i % SEGMENT] = held[half * RANKS * SEGMENT + i];
    }
  }
  CLUSTER_SYNC();
  if (rank == 0 && threadIdx.x == 0) {
    now.odd = !now.odd;
    now.candidates = atomicExch(spilled, 0);
    now.refused = now.candidates >= few;
    now.over = now.candidates == 0;
    *left = now;
  }
}
