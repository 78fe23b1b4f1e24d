// The vertex at a thread's place in a queue, and where its edges lie.
//
// Threads behind the queue's end have no vertex and no edges. They stay all the same,
// for the others' shuffles, ballots and barriers.

#pragma once

#include "csr.cuh"

// The positions in `neighbours` of a vertex's edges, or of those that are left to be
// looked at: [begin, end).
struct Adjacency {
  int vertex;  // -1 where there is none
  offset_t begin;
  offset_t end;
};

// Entry i of a queue, or -1 behind its end.
__device__ __forceinline__ int entry(const int *queue, int queue_size, int i) {
  return i < queue_size ? queue[i] : -1;
}

// The edges of vertex u; none if u is -1.
__device__ __forceinline__ Adjacency adjacency_of(const offset_t *offsets, int u) {
  Adjacency edges = {u, 0, 0};
  if (u >= 0) {
    edges.end = EDGES_END(offsets, u);
    edges.begin = EDGES_BEGIN(offsets, u);
  }
  return edges;
}
