// What the kernels of `best` hand on to each other.
//
// A level is expanded by looking at its candidates: the neighbours of its vertices,
// whether visited or not. Those of vertices of low degree stand in a queue one by one,
// so that as many threads as there are candidates look at them, whoever they belong to.
// The others stay where they are: a chunk says where a part of a vertex's edges lies.

#pragma once

#include "csr.cuh"

// Threads of a block.
#ifndef BLOCK
#define BLOCK 1024
#endif

// Warps of the largest block; the host says where warps are not 32 lanes.
#ifndef MOST_WARPS
#define MOST_WARPS 32
#endif

// Blocks of a cluster.
#ifndef RANKS
#define RANKS 1
#endif

// Edges of a chunk at most; and of a vertex whose neighbours are queued one by one.
#define CHUNK 256
#ifndef LOW_DEGREE
#define LOW_DEGREE 8
#endif

// Positions in `neighbours`: [begin, end).
struct Chunk {
  offset_t begin;
  offset_t end;
};

// Where a search is: at the level to expand. Its vertices stand in the queue, visited and with
// their level; or, if `vertices` is 0, what they lead to does: candidates and chunks.
struct Left {
  int depth;
  int vertices;
  int candidates;
  int chunks;
  int odd;   // which of the two queues they are in
  int over;  // whether there are none
};

// Whether a cluster whose queues have `places` should expand the level, and not the grid.
__device__ __forceinline__ bool is_few(Left now, int places) {
  return now.vertices <= places / 2 && now.candidates <= places && now.chunks <= places / CHUNK;
}

// The queues of one level.
struct Queues {
  int *candidates;
  Chunk *chunks;
};

// How a level was expanded, for the host.
enum Way { IN_BLOCK = 1, IN_CLUSTER, QUEUED, COUNTED, MARKED, BOTTOM_UP };

// The edges of v that are looked at when it is expanded. A vertex with fewer than
// `fewest` has none: where all edges go both ways, a single one leads back.
__device__ __forceinline__ Chunk edges_to_expand(const offset_t *offsets, int v, int fewest) {
  Chunk edges = {offsets[v], offsets[v + 1]};
  if (edges.end - edges.begin < fewest) edges.end = edges.begin;
  return edges;
}
