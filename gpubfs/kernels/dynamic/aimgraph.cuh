// aimGraph's memory: one allocation that kernels manage by themselves.
//
//   manager | memindex neighbours capacity weight type lock | blocks … free … temporaries
//
// The six arrays have an element for each vertex and are padded to lines of 128 bytes.
// Blocks grow upwards and are known by their number; temporaries grow downwards from the
// end, as a stack.

#pragma once

#include "edge_mode.cuh"

#ifndef BLOCK_BYTES
#define BLOCK_BYTES 64
#endif
#define BLOCK_WORDS (BLOCK_BYTES / 4)
// The last word of a block is the number of the next one of its vertex.
#define EDGES_PER_BLOCK ((BLOCK_WORDS - 1) / EDGE_WORDS)
#define LINK (BLOCK_WORDS - 1)
#define NO_BLOCK 0xffffffffu

// Positions are bytes from the beginning of the allocation.
struct Manager {
  unsigned long long begin;   // where the static data begin
  unsigned long long end;     // where the allocation ends
  unsigned long long blocks;  // where block 0 begins
  unsigned long long stack;   // where the temporaries begin; they reach to the end
  // What the batch has done so far.
  unsigned long long applied;
  unsigned long long unchanged;
  unsigned long long refused;
  unsigned long long lock_attempts;
  unsigned vertices;
  unsigned next_free_block;   // blocks from this one on were never taken
  unsigned edge_mode;
  unsigned block_bytes;
  unsigned threads;           // launch parameters: threads per block, and per update
  unsigned threads_per_update;
};
#define MANAGER_BYTES 128

// The arrays of the static data, each with an element for each vertex.
struct Vertices {
  unsigned *memindex;    // the first block, or NO_BLOCK
  unsigned *neighbours;  // edges
  unsigned *capacity;    // entries of all its blocks
  unsigned *weight;
  unsigned *type;
  unsigned *lock;        // 1 while an insertion is under way
};

__device__ __forceinline__ Manager *manager_of(unsigned *memory) { return (Manager *)memory; }

__device__ __forceinline__ Vertices vertices_of(unsigned *memory, unsigned vertices) {
  size_t words = ((size_t)vertices + 31) / 32 * 32;  // lines of 128 bytes
  unsigned *first = memory + MANAGER_BYTES / 4;
  Vertices all;
  all.memindex = first;
  all.neighbours = first + words;
  all.capacity = first + 2 * words;
  all.weight = first + 3 * words;
  all.type = first + 4 * words;
  all.lock = first + 5 * words;
  return all;
}

__device__ __forceinline__ unsigned *block_at(unsigned *memory, unsigned vertices, unsigned block) {
  size_t words = ((size_t)vertices + 31) / 32 * 32;
  return memory + MANAGER_BYTES / 4 + 6 * words + (size_t)block * BLOCK_WORDS;
}

// A block that nobody had; NO_BLOCK if it would run into the temporaries. Blocks are never
// given back, so once one thread is refused all later ones are, and what they take back is
// what they have added.
__device__ __forceinline__ unsigned take_block(Manager *manager) {
  unsigned block = atomicAdd(&manager->next_free_block, 1u);
  if (manager->blocks + ((size_t)block + 1) * BLOCK_BYTES <= manager->stack) return block;
  atomicSub(&manager->next_free_block, 1u);
  return NO_BLOCK;
}
