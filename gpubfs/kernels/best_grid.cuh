// Levels of many candidates: the whole grid, with a barrier in memory.
//
// What is visited is a map in global memory. A level is expanded in one of four ways:
//
//   QUEUED     its candidates claim vertices, whose neighbours are the next candidates;
//   COUNTED    the same without a queue, where a level is so much larger than the one
//              before that the next is likely to be expanded bottom-up; edges are added up;
//   MARKED     candidates are marked and no more, as the next level will be bottom-up;
//   BOTTOM_UP  vertices that are not visited look for a neighbour that is. Any will do:
//              one that is nearer to the source would have been their parent before.
//
// Where a level has no queue and needs one, it is made from the map.

#pragma once

#include <cooperative_groups.h>

#include "best_state.cuh"
#include "visited_map.cuh"
#include "warp_scan.cuh"
#include "warp_search.cuh"

namespace cg = cooperative_groups;

// What a level leads to. There are three by turns, so that one is always free to be reset,
// and behind them two by turns for queues that are made from the map.
#define TURNS 3
#define MADE_TURNS 2

// How much is in both queues; read and written by one access.
struct __align__(8) Sizes {
  int candidates;
  int chunks;
};

struct Totals {
  Sizes queued;
  unsigned long long edges;  // of the vertices found
  int found;  // vertices; of a level that was MARKED, whether there are any
};

// What a thread found.
struct Tally {
  int found;
  unsigned edges;
};

__device__ __forceinline__ int sum_of_warp(int value) {
  return __shfl_sync(EVERY_LANE, warp_inclusive_sum(value), warpSize - 1);
}

// Adds up over the block, and adds that to the totals: two atomics a block.
__device__ void add_tally(Tally tally, Totals *totals) {
  __shared__ Tally of_warps[MOST_WARPS];
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  Tally sum = {sum_of_warp(tally.found), (unsigned)sum_of_warp((int)tally.edges)};
  if (lane == 0) of_warps[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    Tally own = {0, 0};
    #pragma unroll 1
    for (int w = lane; w < blockDim.x / warpSize; w += warpSize) {
      own.found += of_warps[w].found;
      own.edges += of_warps[w].edges;
    }
    int found = sum_of_warp(own.found);
    unsigned edges = (unsigned)sum_of_warp((int)own.edges);
    if (lane == 0 && found > 0) {
      atomicAdd(&totals->found, found);
      atomicAdd(&totals->edges, (unsigned long long)edges);
    }
  }
}

// Places in both queues of the next level.
struct Places {
  int candidate;
  int chunk;
};

// Reserves places for every thread of the block: two atomics a block, and none for
// nothing. All of its threads call together.
__device__ Places reserve_places(int candidates, int chunks, Totals *next) {
  __shared__ Places of_warps[MOST_WARPS];
  __shared__ Places first;
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  Places sum = {warp_inclusive_sum(candidates), 0};
  // Most warps have no chunks.
  if (__any_sync(EVERY_LANE, chunks > 0)) sum.chunk = warp_inclusive_sum(chunks);
  if (lane == warpSize - 1) of_warps[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    Places all = {0, 0};
    // One turn where a warp has as many lanes as a block has warps.
    #pragma unroll 1
    for (int begin = 0; begin < blockDim.x / warpSize; begin += warpSize) {
      Places own = {0, 0};
      if (begin + lane < blockDim.x / warpSize) own = of_warps[begin + lane];
      Places upto = {warp_inclusive_sum(own.candidate), warp_inclusive_sum(own.chunk)};
      Places before = {all.candidate + upto.candidate - own.candidate,
                       all.chunk + upto.chunk - own.chunk};
      if (begin + lane < blockDim.x / warpSize) of_warps[begin + lane] = before;
      all.candidate += __shfl_sync(EVERY_LANE, upto.candidate, warpSize - 1);
      all.chunk += __shfl_sync(EVERY_LANE, upto.chunk, warpSize - 1);
    }
    if (lane == 0) {
      Places none = {0, 0};
      first = none;
      if (all.candidate > 0) first.candidate = atomicAdd(&next->queued.candidates, all.candidate);
      if (all.chunk > 0) first.chunk = atomicAdd(&next->queued.chunks, all.chunk);
    }
  }
  __syncthreads();
  Places before = of_warps[warp];
  Places place = {first.candidate + before.candidate + sum.candidate - candidates,
                  first.chunk + before.chunk + sum.chunk - chunks};
  __syncthreads();  // the next call writes them again
  return place;
}

// Queues the neighbours of v, which may be -1 for none. All threads of the block call
// together. Returns how many edges v has.
__device__ unsigned queue_neighbours(const offset_t *offsets, const int *neighbours, int v,
                                     int fewest, Queues queues, Totals *next) {
  Chunk edges = {0, 0};
  if (v >= 0) edges = edges_to_expand(offsets, v, fewest);
  offset_t degree = edges.end - edges.begin;
  int few = degree <= LOW_DEGREE ? (int)degree : 0;
  int parts = degree > LOW_DEGREE ? (int)((degree + CHUNK - 1) / CHUNK) : 0;
  Places place = reserve_places(few, parts, next);
  // The lanes of a warp copy the neighbours side by side, whoever has them.
  int sum = warp_inclusive_sum(few);
  int total = __shfl_sync(EVERY_LANE, sum, warpSize - 1);
  int to = __shfl_sync(EVERY_LANE, place.candidate, 0);
  offset_t first = edges.begin - (sum - few);
  #pragma unroll 1
  for (int begin = 0; begin < total; begin += warpSize) {
    int number = begin + threadIdx.x % warpSize;
    int lane = warp_search(sum - few, number);
    offset_t position = __shfl_sync(EVERY_LANE, first, lane) + number;
    if (number < total) queues.candidates[to + number] = neighbours[position];
  }
  #pragma unroll 1
  for (int k = 0; k < parts; k++) {
    offset_t begin = edges.begin + (offset_t)k * CHUNK;
    Chunk part = {begin, min(begin + CHUNK, edges.end)};
    queues.chunks[place.chunk + k] = part;
  }
  return (unsigned)degree;
}

// A vertex not visited looks at neighbours until one is. Each lane looks at some of its
// own; lanes that found none are helped by the whole warp, one after the other.
#define OWN_TURNS 4
#define AT_ONCE 4

__device__ __forceinline__ bool has_visited_neighbour(const int *neighbours, Chunk edges,
                                                      const unsigned *visited) {
  bool found = false;
  offset_t e = edges.begin;
  #pragma unroll 1
  for (int turn = 0; turn < OWN_TURNS && e < edges.end && !found; turn++, e += AT_ONCE) {
    int v[AT_ONCE];  // loaded all at once; behind the end the first again
    #pragma unroll
    for (int k = 0; k < AT_ONCE; k++) v[k] = neighbours[e + k < edges.end ? e + k : e];
    #pragma unroll
    for (int k = 0; k < AT_ONCE; k++) found |= is_visited(visited, v[k]);
  }
  int lane = threadIdx.x % warpSize;
  unsigned rest = __ballot_sync(EVERY_LANE, !found && e < edges.end);
  #pragma unroll 1
  while (rest != 0) {
    int owner = __ffs(rest) - 1;
    rest &= rest - 1;
    offset_t begin = __shfl_sync(EVERY_LANE, e, owner);
    offset_t end = __shfl_sync(EVERY_LANE, edges.end, owner);
    bool any = false;
    #pragma unroll 1
    for (; begin < end && !any; begin += warpSize) {
      bool own = begin + lane < end && is_visited(visited, neighbours[begin + lane]);
      any = __any_sync(EVERY_LANE, own);
    }
    if (lane == owner) found = any;
  }
  return found;
}

// The warps of the grid, numbered so that the first ones are in different blocks.
__device__ __forceinline__ int grid_warp() {
  return threadIdx.x / warpSize * gridDim.x + blockIdx.x;
}
__device__ __forceinline__ int grid_warps() { return gridDim.x * (blockDim.x / warpSize); }

// A vertex that is not visited looks for a parent. All lanes of the warp call together;
// returns those whose vertices need not be looked at again.
__device__ __forceinline__ unsigned look_for_parents(const offset_t *offsets,
                                                     const int *neighbours, int *level, int v,
                                                     bool unvisited, const unsigned *visited,
                                                     int next_depth, Tally *tally) {
  Chunk edges = {0, 0};
  if (unvisited) {
    edges.begin = offsets[v];
    edges.end = offsets[v + 1];
  }
  bool found = has_visited_neighbour(neighbours, edges, visited);
  if (found) {
    level[v] = next_depth;
    tally->found++;
    tally->edges += (unsigned)(edges.end - edges.begin);
  }
  bool alone = unvisited && edges.begin == edges.end;
  return __ballot_sync(EVERY_LANE, found || alone);
}

// A level BOTTOM_UP: a warp has the 32 vertices of a word, and writes the word of `next`.
__device__ Tally expand_bottom_up(const offset_t *offsets, const int *neighbours, int *level,
                                  int vertices, const unsigned *visited, unsigned *next,
                                  int next_depth) {
  Tally tally = {0, 0};
  int lane = threadIdx.x % warpSize;
  #pragma unroll 1
  for (int word = grid_warp(); word < (vertices + 31) / 32; word += grid_warps()) {
    unsigned old = visited[word];
    unsigned now = old;
    // One turn where a warp has 32 lanes.
    for (int first = 0; first < 32; first += warpSize) {
      int v = word * 32 + first + lane;
      bool unvisited = v < vertices && !(old & bit_of(v));
      if (!__any_sync(EVERY_LANE, unvisited)) continue;
      now |= look_for_parents(offsets, neighbours, level, v, unvisited, visited, next_depth,
                              &tally)
             << first;
    }
    if (lane == 0) next[word] = now;
  }
  return tally;
}

// A level MARKED.
__device__ __forceinline__ void mark(int v, int *level, unsigned *visited, int next_depth,
                                     Tally *tally) {
  if (is_visited(visited, v)) return;
  // Nobody waits for what the atomic finds; who comes twice writes the same level.
  atomicOr(&visited[v / 32], bit_of(v));
  level[v] = next_depth;
  tally->found = 1;
}

__device__ Tally mark_candidates(const int *neighbours, int *level, unsigned *visited,
                                 int next_depth, const int *candidates, int size,
                                 const Chunk *chunks, int parts) {
  Tally tally = {0, 0};
  int lane = threadIdx.x % warpSize;
  #pragma unroll 1
  for (int i = grid_warp() * warpSize + lane; i < size; i += grid_warps() * warpSize) {
    mark(candidates[i], level, visited, next_depth, &tally);
  }
  #pragma unroll 1
  for (int i = grid_warp(); i < parts; i += grid_warps()) {
    Chunk part = chunks[i];
    #pragma unroll 2
    for (offset_t e = part.begin + lane; e < part.end; e += warpSize) {
      mark(neighbours[e], level, visited, next_depth, &tally);
    }
  }
  return tally;
}

// The search, for one thread.
struct Search {
  const offset_t *offsets;
  const int *neighbours;
  int *level;
  unsigned *visited;
  int next_depth;
  int fewest;
  Queues queues;  // of the next level
  Totals *next;
};

// Claims the candidate v, which may be -1 for none, and queues its neighbours unless
// the level is COUNTED. All threads of the block call together.
__device__ __forceinline__ void claim_candidate(Search to, int v, bool queued, Tally *tally) {
  bool found = v >= 0 && visit_first(&to.visited[v / 32], v);
  if (found) {
    to.level[v] = to.next_depth;
    tally->found++;
  }
  if (queued) {
    int own = found ? v : -1;
    tally->edges += queue_neighbours(to.offsets, to.neighbours, own, to.fewest, to.queues, to.next);
  } else if (found) {
    tally->edges += (unsigned)(to.offsets[v + 1] - to.offsets[v]);
  }
}

// A level QUEUED or COUNTED. All threads of a block make the same turns.
__device__ Tally claim_candidates(Search to, bool queued, const int *candidates, int size,
                                  const Chunk *chunks, int parts) {
  Tally tally = {0, 0};
  int lane = threadIdx.x % warpSize;
  // Candidates are spread over all warps that have no chunk, a few for each: a warp's
  // work is one step after another.
  int others = max(1, max(grid_warps() / 2, grid_warps() - parts));
  int each = max(1, min(warpSize, (size + others - 1) / others));
  int groups = (size + each - 1) / each;
  #pragma unroll 1
  for (int begin = 0; begin < groups + parts; begin += grid_warps()) {
    int i = begin + grid_warp();
    const int *from = candidates;
    Chunk part = {0, 0};
    if (i < groups) {
      part.begin = i * each;
      part.end = min(size, (i + 1) * each);
    } else if (i < groups + parts) {
      part = chunks[i - groups];
      from = to.neighbours;
    }
    // All go on as long as one of the block's warps does.
    #pragma unroll 1
    while (__syncthreads_or(part.begin < part.end)) {
      int v = part.begin + lane < part.end ? from[part.begin + lane] : -1;
      claim_candidate(to, v, queued, &tally);
      part.begin += warpSize;
    }
  }
  return tally;
}

// Queues what the vertices at distance `depth` lead to. All threads of a block make the
// same turns.
__device__ void queue_level(Search to, int vertices, int depth) {
  int threads = grid_warps() * warpSize;
  #pragma unroll 1
  for (int begin = 0; begin < vertices; begin += threads) {
    int v = begin + grid_warp() * warpSize + threadIdx.x % warpSize;
    bool own = v < vertices && is_visited(to.visited, v) && to.level[v] == depth;
    queue_neighbours(to.offsets, to.neighbours, own ? v : -1, to.fewest, to.queues, to.next);
  }
}

// Bottom-up levels look at every vertex, so that they are worth it if a level has a 64th of
// all edges. Behind one some more may follow that have fewer, because a queue would be made
// from the map: but not many, for a long tail of small levels wants queues.
#define RARE 64
#define LINGER 4

// A level grows suddenly if it has eight times the edges of the one before, and not few.
#define GROWTH 8
#define SUDDEN 512

// What is known of a level before it is expanded.
struct Outlook {
  long long edges;   // of its vertices; of some, where another kernel was before
  long long before;  // edges of the level before
  long long unseen;  // of the vertices that are not visited, and of some that are
  long long all;     // of the graph
  int lingering;     // bottom-up levels with few edges right before it; -1: it was not bottom-up
};

__device__ Way way_of(Outlook level, int vertices, int alpha) {
  if (alpha > 0) {
    bool many = level.edges > level.all / RARE;
    if (many && level.edges * alpha > level.unseen) return BOTTOM_UP;
    bool lingers = 0 <= level.lingering && level.lingering < LINGER;
    if (lingers && level.unseen < vertices) return BOTTOM_UP;
    if (many && level.edges * alpha * 4 > level.unseen) return MARKED;
    if (level.edges > GROWTH * level.before && level.edges > level.all / SUDDEN) return COUNTED;
  }
  return QUEUED;
}

// One thread of a block reads what all write, and tells the others: all warps of a grid
// at once would wait for one place of the L2 cache.
__device__ Totals read_totals(const Totals *totals) {
  __shared__ Totals told;
  if (threadIdx.x == 0) told = *totals;
  __syncthreads();
  Totals result = told;
  __syncthreads();
  return result;
}

// Expands levels until one is for a cluster whose queues have `places`; -1 for none.
// The launch must be cooperative.
// fewest: edges of a vertex that is expanded at least; where all edges go both ways, a single
//         one leads back.
// alpha: a level whose edges, times this, are more than those of vertices not visited is
//        expanded bottom-up; 0 for never.
extern "C" __global__ void __launch_bounds__(BLOCK, 1)
    best_grid(const offset_t *offsets, const int *neighbours, int *level, int vertices,
              int source, long long all, unsigned *visited, unsigned *next_visited, int *even,
              int *odd, Chunk *even_chunks, Chunk *odd_chunks, Left *left, int *ways,
              Totals *totals, int places, int fewest, int alpha) {
  cg::grid_group grid = cg::this_grid();
  Left now = *left;
  Queues queues = {now.odd ? odd : even, now.odd ? odd_chunks : even_chunks};
  Queues others = {now.odd ? even : odd, now.odd ? even_chunks : odd_chunks};
  const int *candidates = queues.candidates;
  if (now.depth == 0) {
    // The candidates of the source are where they are.
    offset_t begin = offsets[source];
    candidates = neighbours + begin;
    now.candidates = (int)(offsets[source + 1] - begin);
  }
  if (now.over) return;
  if (now.depth > 0 && is_few(now, places)) return;

  unsigned *first_map = visited;
  // Vertices that another kernel has left have about as many edges as others.
  long long edges = now.candidates + now.vertices * (all / vertices);
  Outlook outlook = {edges, now.depth == 0 ? 0 : edges, all - edges, all, -1};
  bool queued = now.vertices == 0;
  now.vertices = 0;
  int turn = 0;
  #pragma unroll 1
  while (true) {
    int after = turn == 2 ? 0 : turn + 1;
    Way way = way_of(outlook, vertices, alpha);
    Search to = {offsets, neighbours, level, visited, now.depth + 1, fewest, others,
                 &totals[after]};
    Tally tally;
    if (way == BOTTOM_UP) {
      tally = expand_bottom_up(offsets, neighbours, level, vertices, visited, next_visited,
                               to.next_depth);
      unsigned *expanded = visited;
      visited = next_visited;
      next_visited = expanded;
    } else {
      if (!queued) {
        Search from = to;
        from.queues = queues;
        from.next = &totals[TURNS + now.depth % MADE_TURNS];
        queue_level(from, vertices, now.depth);
        grid.sync();
        Totals made = read_totals(from.next);
        now.candidates = made.queued.candidates;
        now.chunks = made.queued.chunks;
        candidates = queues.candidates;
      }
      if (way == MARKED) {
        tally = mark_candidates(neighbours, level, visited, to.next_depth, candidates,
                                now.candidates, queues.chunks, now.chunks);
      } else {
        tally = claim_candidates(to, way == QUEUED, candidates, now.candidates, queues.chunks,
                                 now.chunks);
      }
    }
    add_tally(tally, &totals[after]);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
      ways[now.depth] = way;
      Totals none = {{0, 0}, 0, 0};
      totals[after == 2 ? 0 : after + 1] = none;
      totals[TURNS + (now.depth + 1) % MADE_TURNS] = none;
    }
    grid.sync();
    Totals found = read_totals(&totals[after]);
    turn = after;
    now.depth++;
    Queues expanded = queues;
    queues = others;
    others = expanded;
    candidates = queues.candidates;
    now.odd = !now.odd;
    now.candidates = found.queued.candidates;
    now.chunks = found.queued.chunks;
    queued = way == QUEUED;
    bool few = outlook.edges <= all / RARE;
    outlook.lingering = way != BOTTOM_UP ? -1 : few ? outlook.lingering + 1 : 0;
    outlook.before = outlook.edges;
    // Of marked vertices the edges are not known: as many as make the next level bottom-up.
    outlook.edges = way == MARKED ? all : (long long)found.edges;
    if (way != MARKED) outlook.unseen -= outlook.edges;
    now.over = found.found == 0 || (queued && now.candidates == 0 && now.chunks == 0);
    if (now.over || (queued && is_few(now, places / 4))) break;
  }

  grid.sync();  // all have read the totals
  if (visited != first_map) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    #pragma unroll 1
    for (int i = thread; i < (vertices + 31) / 32; i += gridDim.x * blockDim.x) {
      first_map[i] = visited[i];
    }
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *left = now;
    Totals none = {{0, 0}, 0, 0};
    for (int i = 0; i < TURNS + MADE_TURNS; i++) totals[i] = none;
  }
}
