// Triangles at each vertex of a graph in aimGraph's blocks; the counts are temporary data.

#pragma once

#include "aimgraph.cuh"

// Where a thread is among the edges of a vertex.
struct Walk {
  unsigned block;
  unsigned entry;
  unsigned blocks;  // from this one on
};

__device__ __forceinline__ Walk begin_walk(unsigned *memory, unsigned vertices, unsigned v) {
  Vertices all = vertices_of(memory, vertices);
  Walk walk = {all.memindex[v], 0, all.capacity[v] / EDGES_PER_BLOCK};
  return walk;
}

// The next neighbour; DELETIONMARKER behind the last one.
__device__ unsigned next_neighbour(unsigned *memory, unsigned vertices, Walk &walk) {
  unsigned found = DELETIONMARKER;
  #pragma unroll 1
  while (walk.blocks > 0 && found == DELETIONMARKER) {
    unsigned *words = block_at(memory, vertices, walk.block);
    found = words[walk.entry * EDGE_WORDS];
    walk.entry++;
    if (walk.entry == EDGES_PER_BLOCK) {
      walk.block = words[LINK];
      walk.entry = 0;
      walk.blocks--;
    }
  }
  return found;
}

// Whether there is an edge from v to w.
__device__ bool has_edge(unsigned *memory, unsigned vertices, unsigned v, unsigned w) {
  Walk walk = begin_walk(memory, vertices, v);
  unsigned found;
  #pragma unroll 1
  do {
    found = next_neighbour(memory, vertices, walk);
  } while (found != w && found != DELETIONMARKER);
  return found == w;
}

// A thread for each vertex u; every edge must have its reverse.
// counts[u]: receives the pairs v < w of neighbours of u that are neighbours of each other.
extern "C" __global__ void aimgraph_triangles(unsigned *memory, unsigned *counts) {
  unsigned vertices = manager_of(memory)->vertices;
  unsigned u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= vertices) return;
  unsigned triangles = 0;
  Walk near = begin_walk(memory, vertices, u);
  unsigned v = next_neighbour(memory, vertices, near);
  #pragma unroll 1
  while (v != DELETIONMARKER) {
    Walk far = begin_walk(memory, vertices, v);
    unsigned w = next_neighbour(memory, vertices, far);
    #pragma unroll 1
    while (w != DELETIONMARKER) {
      if (v != u && w > v && w != u && has_edge(memory, vertices, u, w)) triangles++;
      w = next_neighbour(memory, vertices, far);
    }
    v = next_neighbour(memory, vertices, near);
  }
  counts[u] = triangles;
}
