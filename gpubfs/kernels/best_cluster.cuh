// Levels of few vertices: the blocks of a cluster, or one block alone.
//
// A bit for each vertex says whether it was visited; the words of this map are dealt out to
// the blocks, which have them in shared memory. Each block has a queue there, too. Whoever
// finds a vertex claims it in the map, wherever its word is, and appends it to a queue: each
// thread to that of one block, so that all blocks get about equally many. So a level waits
// for the rows of its vertices, for the map, for a queue's tail, and for the other blocks.
// One block, where RANKS is 1, waits less; several get more done at a time.

#pragma once

#include <cooperative_groups.h>

#include "best_rows.cuh"
#include "best_state.cuh"
#include "visited_map.cuh"

namespace cg = cooperative_groups;

#if RANKS > 1
#define OF_RANKS __cluster_dims__(RANKS)
#define HERE IN_CLUSTER
#else
#define OF_RANKS
#define HERE IN_BLOCK
#endif

// Which of the blocks this one is.
__device__ __forceinline__ int cluster_rank() {
#if RANKS > 1
  return (int)cg::this_cluster().block_rank();
#else
  return 0;
#endif
}

__device__ __forceinline__ void cluster_sync() {
#if RANKS > 1
  cg::this_cluster().sync();
#else
  __syncthreads();
#endif
}

// What is at the same place in the shared memory of block `rank`.
template <typename T>
__device__ __forceinline__ T *of_rank(T *pointer, int rank) {
#if RANKS > 1
  return cg::this_cluster().map_shared_rank(pointer, rank);
#else
  (void)rank;
  return pointer;
#endif
}

// Neighbours that a thread loads at once, 1 or 4. With 4 there is less to do in all; with 1,
// less one after the other.
#ifndef WORDS
#define WORDS 1
#endif

// Threads that share a row.
#define SHARES (ROW / WORDS)

// A queue has several tails, by turns, so that threads seldom wait for each other at one; at
// a single one the compiler lets a warp's threads append together. Each thread takes
// vertices of one tail: their number divides that of the block's rows.
#if WORDS == 1 && RANKS == 1
#define TAILS 1
#elif BLOCK / SHARES % 8 == 0
#define TAILS 8
#elif BLOCK / SHARES % 2 == 0
#define TAILS 2
#else
#define TAILS 1
#endif

// Levels after which the cluster looks whether there are vertices.
#define CHECKED 8

// What a thread visits vertices with.
struct Visit {
  unsigned *map;  // at the same place in each block
  int *tail;      // of a queue of the next level
  int *held;      // its first place; the next one is TAILS ints further
  int places;     // how many there are
  int *full;      // whether somebody found none; each block has its own
  int *spilled;   // for what finds none, in global memory
  int *spills;    // how many these are
};

// Visits those of N vertices that are any and that nobody has visited, and queues them. Each
// step is taken for all N: it takes a while.
template <int N>
__device__ __forceinline__ void visit(Visit to, const int *v) {
  unsigned before[N];
  int found = 0;
  #pragma unroll
  for (int k = 0; k < N; k++) {
    before[k] = ~0u;
    if (v[k] >= 0) {
      unsigned word = (unsigned)v[k] / 32;
      before[k] = atomicOr(&of_rank(to.map, word % RANKS)[banked(word / RANKS)], bit_of(v[k]));
    }
  }
  #pragma unroll
  for (int k = 0; k < N; k++) found += !(before[k] & bit_of(v[k]));
  if (found == 0) return;
  int place = atomicAdd(to.tail, N == 1 ? 1 : found);
  #pragma unroll
  for (int k = 0; k < N; k++) {
    if (before[k] & bit_of(v[k])) continue;
    if (place < to.places) {
      to.held[place * TAILS] = v[k];
    } else {
      to.spilled[atomicAdd(to.spills, 1)] = v[k];
      for (int rank = 0; rank < RANKS; rank++) *of_rank(to.full, rank) = 1;
    }
    place++;
  }
}

// Visits the neighbours of v that have no place in its row; the first is at position `e`.
// They are loaded before it is known where they end: of `edges` positions, all can be.
__device__ __forceinline__ void visit_behind_row(const offset_t *offsets, const int *neighbours,
                                                 int v, int e, int edges, Visit to) {
  int end = (int)offsets[v + 1];
  #pragma unroll 1
  do {
    int four[4];
    #pragma unroll
    for (int k = 0; k < 4; k++) four[k] = neighbours[min(e + k, edges - 1)];
    #pragma unroll
    for (int k = 0; k < 4; k++) {
      if (e + k >= end) four[k] = NOBODY;
    }
    visit<4>(to, four);
    e += 4;
  } while (e < end);
}

// Visits what other kernels have left: candidates of a level, and chunks of them.
__device__ void visit_left_over(const int *neighbours, const int *candidates, int size,
                                const Chunk *chunks, int parts, int rank, Visit to) {
  int thread = rank * BLOCK + threadIdx.x;
  #pragma unroll 1
  for (int i = thread; i < size; i += RANKS * BLOCK) {
    int v = candidates[i];
    visit<1>(to, &v);
  }
  #pragma unroll 1
  for (int i = thread / warpSize; i < parts; i += RANKS * BLOCK / warpSize) {
    Chunk part = chunks[i];
    #pragma unroll 1
    for (offset_t e = part.begin + threadIdx.x % warpSize; e < part.end; e += warpSize) {
      int v = neighbours[e];
      visit<1>(to, &v);
    }
  }
}

// One cluster. Expands levels as long as their vertices find a place in the queues.
// Dynamic shared memory: the block's part of the map, whole rows of 32 words; then the queues
// of two levels, of `few` vertices each, a multiple of TAILS.
extern "C" __global__ void OF_RANKS __launch_bounds__(BLOCK, 1)
    best_cluster(const offset_t *offsets, const int *neighbours, const int *rows, int *level,
                 int vertices, int edges, int source, unsigned *visited, int *even, int *odd,
                 const Chunk *even_chunks, const Chunk *odd_chunks, Left *left, int *ways,
                 int *spills, int few) {
  extern __shared__ unsigned map[];
  // Of three levels, by turns: the one that is reset is neither read nor written.
  __shared__ int tails[3][TAILS];
  __shared__ int full[3];  // the same; the search ends here with the first that is set
  __shared__ int end;
  Left now = *left;
  if (now.over || !is_few(now, RANKS * few)) return;

  int rank = cluster_rank();
  int words = (vertices + 31) / 32;
  int own_words = (words + RANKS - 1) / RANKS;
  int *queues = (int *)map + (own_words + 31) / 32 * 32;
  #pragma unroll 4
  for (int i = threadIdx.x; i < own_words; i += BLOCK) {
    int word = i * RANKS + rank;
    map[banked(i)] = word < words ? visited[word] : 0;
  }
  // The vertices that there are, are dealt out.
  const int *queue = now.odd ? odd : even;
  int size = now.depth == 0 ? 1 : now.vertices;
  int own_size = (size + RANKS - 1 - rank) / RANKS;
  #pragma unroll 1
  for (int i = threadIdx.x; i < own_size; i += BLOCK) {
    queues[i] = now.depth == 0 ? source : queue[i * RANKS + rank];
  }
  #pragma unroll 1
  for (int i = threadIdx.x; i < 3 * TAILS; i += BLOCK) {
    tails[i / TAILS][i % TAILS] = i < TAILS ? (own_size + TAILS - 1 - i) / TAILS : 0;
  }
  #pragma unroll 1
  for (int i = threadIdx.x; i < 3; i += BLOCK) full[i] = 0;
  if (threadIdx.x == 0) end = now.depth;
  cluster_sync();

  // The queue, and its tail, that a thread appends to: threads of a warp to different ones,
  // and those with the first rows, or the first shares of them, which are there most often,
  // to all of them. Where every other vertex of a level finds the next ones, as on lattices,
  // warps that all began with the same tail would leave half of them empty.
  int row = threadIdx.x / SHARES;
  int share = threadIdx.x % SHARES;
  int to_rank = (row + share + rank) % RANKS;
  int to_tail = (row / RANKS + row % RANKS + share + threadIdx.x / 32) % TAILS;
  int *theirs = of_rank(queues, to_rank) + to_tail;
  int first = now.depth;
  int last = first;  // behind the last level of which this thread had a vertex
  int turn = 0;
  int half = 0;
  if (size == 0) {
    const Chunk *chunks = now.odd ? odd_chunks : even_chunks;
    Visit to = {map, of_rank(&tails[0][to_tail], to_rank), theirs, few / TAILS, &full[0],
                now.odd ? even : odd, spills};
    visit_left_over(neighbours, queue, now.candidates, chunks, now.chunks, rank, to);
    now.depth++;
    now.odd = !now.odd;
    last = now.depth;
    cluster_sync();
  }
  #pragma unroll 1
  while (!full[turn]) {
    if ((now.depth - first) % CHECKED == CHECKED - 1) {
      int any = 0;
      #pragma unroll 1
      for (int i = threadIdx.x; i < RANKS * TAILS; i += BLOCK) {
        any |= *of_rank(&tails[turn][i / RANKS], i % RANKS);
      }
      if (!__syncthreads_or(any)) break;
    }
    int after = turn == 2 ? 0 : turn + 1;
    const int *held = queues + half * few;
    half = 1 - half;
    Visit to = {map, of_rank(&tails[after][to_tail], to_rank), theirs + half * few, few / TAILS,
                &full[after], now.odd ? even : odd, spills};
    #pragma unroll 1
    for (int i = row; i / TAILS < tails[turn][i % TAILS]; i += BLOCK / SHARES) {
      int v = held[i];
      const int *own = rows + (size_t)v * ROW + share * WORDS;
      int word[WORDS];
#if WORDS == 4
      int4 four = *(const int4 *)own;
      word[0] = four.x;
      word[1] = four.y;
      word[2] = four.z;
      word[3] = four.w;
#else
      word[0] = *own;
#endif
      if (share == 0) level[v] = now.depth;
      last = now.depth + 1;
      visit<WORDS>(to, word);
      int link = word[WORDS - 1];
      if (link < NOBODY) {
        visit_behind_row(offsets, neighbours, v, AS_LINK(link), edges, to);
      }
    }
    int next_after = after == 2 ? 0 : after + 1;
    #pragma unroll 1
    for (int i = threadIdx.x; i < TAILS; i += BLOCK) tails[next_after][i] = 0;
    cluster_sync();
    now.depth++;
    now.odd = !now.odd;
    turn = after;
  }

  int *rest = now.odd ? odd : even;
  if (full[turn]) {
    // What is in queues follows what found no place there.
    #pragma unroll 1
    for (int i = threadIdx.x; i < few; i += BLOCK) {
      if (i / TAILS < tails[turn][i % TAILS]) rest[atomicAdd(spills, 1)] = queues[half * few + i];
    }
    #pragma unroll 1
    for (int i = threadIdx.x; i < own_words; i += BLOCK) {
      int word = i * RANKS + rank;
      if (word < words) visited[word] = map[banked(i)];
    }
  }
  atomicMax(of_rank(&end, 0), last);
  cluster_sync();
  if (rank > 0) return;
  int left_over = *spills;
  if (left_over == 0) now.depth = end;
  #pragma unroll 1
  for (int i = threadIdx.x; i < left_over; i += BLOCK) level[rest[i]] = now.depth;
  #pragma unroll 1
  for (int d = first + threadIdx.x; d < now.depth; d += BLOCK) ways[d] = HERE;
  __syncthreads();
  if (threadIdx.x == 0) {
    Left then = {now.depth, left_over, 0, 0, now.odd, left_over == 0};
    *left = then;
    *spills = 0;
  }
}
