// Edges as blocks hold them, and the updates of a batch.
//
// An edge is an array of words: its destination, and what the mode has besides.

#pragma once

#define EDGE_MODE_SIMPLE 1    // destination
#define EDGE_MODE_WEIGHTED 2  // destination, weight
#define EDGE_MODE_SEMANTIC 5  // destination, weight, type, two timestamps
#ifndef EDGE_MODE
#define EDGE_MODE EDGE_MODE_SIMPLE
#endif

// 4-byte words of an edge.
#define EDGE_WORDS EDGE_MODE

// The destination of an entry that holds no edge; no vertex has this number.
#define DELETIONMARKER 0xffffffffu

// A batch: arrays of `count` words one behind the other, for sources, destinations, and
// each of what the mode has besides.
struct Updates {
  const unsigned *words;
  unsigned count;
};

__device__ __forceinline__ unsigned source_of(Updates batch, unsigned i) {
  return batch.words[i];
}

__device__ __forceinline__ unsigned destination_of(Updates batch, unsigned i) {
  return batch.words[(size_t)batch.count + i];
}

// Writes update i to an entry; the destination last, as it makes an edge of the entry.
__device__ __forceinline__ void store_edge(volatile unsigned *entry, Updates batch, unsigned i) {
  #pragma unroll
  for (int word = EDGE_WORDS - 1; word >= 0; word--) {
    entry[word] = batch.words[(size_t)(word + 1) * batch.count + i];
  }
}
