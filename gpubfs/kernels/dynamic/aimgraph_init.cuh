// aimGraph's initialisation from compressed sparse rows: three kernels and a scan, no locks.

#pragma once

#include "aimgraph.cuh"
#include "csr.cuh"
#include "segments.cuh"

// The vertices [begin, end) of a block of threads.
struct Chunk {
  unsigned begin;
  unsigned end;
};

__device__ __forceinline__ Chunk own_chunk(unsigned vertices) {
  unsigned each = (vertices + gridDim.x - 1) / gridDim.x;
  Chunk chunk;
  chunk.begin = min(blockIdx.x * each, vertices);
  chunk.end = min(chunk.begin + each, vertices);
  return chunk;
}

// totals[b]: receives how many blocks of edges the vertices of thread block b need.
extern "C" __global__ void aimgraph_count(unsigned *memory, const offset_t *offsets,
                                          int *totals) {
  __shared__ int warp_totals[MOST_WARPS];
  unsigned vertices = manager_of(memory)->vertices;
  Vertices all = vertices_of(memory, vertices);
  Chunk chunk = own_chunk(vertices);
  int wanted = 0;
  #pragma unroll 1
  for (unsigned v = chunk.begin + threadIdx.x; v < chunk.end; v += blockDim.x) {
    unsigned degree = offsets[v + 1] - offsets[v];
    unsigned blocks = (degree + EDGES_PER_BLOCK - 1) / EDGES_PER_BLOCK;
    all.neighbours[v] = degree;
    all.capacity[v] = blocks * EDGES_PER_BLOCK;
    all.weight[v] = 0;
    all.type[v] = 0;
    all.lock[v] = 0;
    wanted += blocks;
  }
  __syncwarp();
  int before = block_exclusive_sum(wanted, warp_totals);
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = before + wanted;
}

// totals[b]: how many blocks of edges the vertices before those of thread block b need.
extern "C" __global__ void aimgraph_place(unsigned *memory, const int *totals) {
  __shared__ int warp_totals[MOST_WARPS];
  __shared__ int tile_total;
  Manager *manager = manager_of(memory);
  unsigned vertices = manager->vertices;
  Vertices all = vertices_of(memory, vertices);
  Chunk chunk = own_chunk(vertices);
  unsigned start = totals[blockIdx.x];
  #pragma unroll 1
  for (unsigned tile = chunk.begin; tile < chunk.end; tile += blockDim.x) {
    unsigned v = tile + threadIdx.x;
    int blocks = v < chunk.end ? all.capacity[v] / EDGES_PER_BLOCK : 0;
    int before = block_exclusive_sum(blocks, warp_totals);
    if (v < chunk.end) all.memindex[v] = blocks > 0 ? start + before : NO_BLOCK;
    // The last vertex's thread knows how many blocks there are in all.
    if (v == vertices - 1) manager->next_free_block = start + before + blocks;
    if (threadIdx.x == blockDim.x - 1) tile_total = before + blocks;
    __syncthreads();  // all have read `warp_totals`, and `tile_total` is this tile's
    start += tile_total;  // which the next sum's own barrier keeps until all have read it
  }
}

// The word at a place in the blocks of a vertex, which lie one behind the other.
// begin: where its edges begin in `neighbours`.
// words: what edges have besides their destinations, an array behind the other.
__device__ unsigned initial_word(unsigned place, unsigned first, unsigned blocks,
                                 const int *neighbours, const unsigned *words, size_t edges,
                                 size_t begin, unsigned degree) {
  unsigned block = place / BLOCK_WORDS;
  unsigned within = place % BLOCK_WORDS;
  if (within == LINK) return block + 1 < blocks ? first + block + 1 : NO_BLOCK;
  unsigned entry = within / EDGE_WORDS;
  unsigned word = within % EDGE_WORDS;
  unsigned edge = block * EDGES_PER_BLOCK + entry;
  if (entry >= EDGES_PER_BLOCK || edge >= degree) return DELETIONMARKER;
  if (word == 0) return neighbours[begin + edge];
  return words[(word - 1) * edges + begin + edge];
}

// A warp for each vertex: its lanes write its blocks side by side.
extern "C" __global__ void aimgraph_fill(unsigned *memory, const offset_t *offsets,
                                         const int *neighbours, const unsigned *words) {
  unsigned vertices = manager_of(memory)->vertices;
  Vertices all = vertices_of(memory, vertices);
  size_t edges = offsets[vertices];
  unsigned warps = gridDim.x * (blockDim.x / warpSize);
  unsigned warp = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize;
  #pragma unroll 1
  for (unsigned v = warp; v < vertices; v += warps) {
    unsigned degree = all.neighbours[v];
    unsigned first = all.memindex[v];
    unsigned blocks = all.capacity[v] / EDGES_PER_BLOCK;
    size_t begin = offsets[v];
    #pragma unroll 1
    for (unsigned place = threadIdx.x % warpSize; place < blocks * BLOCK_WORDS; place += warpSize) {
      unsigned *block = block_at(memory, vertices, first);
      block[place] = initial_word(place, first, blocks, neighbours, words, edges, begin, degree);
    }
  }
}
