// Which vertices were visited: a bit each, 32 in a word.

#pragma once

// The bit of vertex v in its word, v / 32.
__device__ __forceinline__ unsigned bit_of(int v) { return 1u << (v & 31); }

__device__ __forceinline__ bool is_visited(const unsigned *visited, int v) {
  return visited[v / 32] & bit_of(v);
}

// Sets the bit of v in its word. However many threads want it, one of them is told true.
__device__ __forceinline__ bool visit_first(unsigned *word, int v) {
  // The plain read spares vertices that were visited the atomic, and they are the most.
  return !(*word & bit_of(v)) && !(atomicOr(word, bit_of(v)) & bit_of(v));
}

// Where word i of a map is in shared memory: each row of 32 words is turned by another
// number of banks. In a grid graph the vertices of a level have words that are a row
// apart, all in one bank.
__device__ __forceinline__ unsigned banked(unsigned i) { return i ^ (i / 32 % 32); }
