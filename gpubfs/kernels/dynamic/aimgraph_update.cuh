// What an update does to aimGraph's blocks, by a thread or by a warp.
//
// All reads are volatile: other threads write the same vertices in the same launch, and a
// line in the L1 cache of this multiprocessor may be older.

#pragma once

#include "aimgraph.cuh"
#include "vertex_lock.cuh"
#include "warp_scan.cuh"

#define APPLIED 0
#define UNCHANGED 1
#define REFUSED 2

// What a search among the edges of a vertex has found.
struct Place {
  unsigned block;  // of a free entry; NO_BLOCK if there is none
  unsigned entry;
  unsigned last;   // the last block that was looked at, or NO_BLOCK
  bool twin;       // whether the edge is there already
};

// An update, and the vertex that it changes.
struct Update {
  Updates batch;
  unsigned number;
  unsigned source;
  unsigned destination;
  unsigned vertices;  // of the graph
};

__device__ __forceinline__ Update update_of(unsigned *memory, Updates batch, unsigned i) {
  Update update = {batch, i, source_of(batch, i), destination_of(batch, i),
                   manager_of(memory)->vertices};
  return update;
}

// The blocks of a vertex that were not seen yet.
struct Chain {
  unsigned blocks;  // how many
  unsigned block;   // the next one
};

__device__ __forceinline__ Chain chain_of(unsigned *memory, Update update) {
  Vertices all = vertices_of(memory, update.vertices);
  Chain chain;
  chain.blocks = *(volatile unsigned *)(all.capacity + update.source) / EDGES_PER_BLOCK;
  chain.block = *(volatile unsigned *)(all.memindex + update.source);
  return chain;
}

// How many edges a vertex has.
__device__ __forceinline__ unsigned neighbours_of(unsigned *memory, Update update) {
  Vertices all = vertices_of(memory, update.vertices);
  return *(volatile unsigned *)(all.neighbours + update.source);
}

// Looks for the edge of an update. The first free entry is remembered, and the search goes
// on until all `neighbours` edges were seen: the edge may stand behind a free entry.
__device__ Place search_by_thread(unsigned *memory, Update update) {
  Chain chain = chain_of(memory, update);
  unsigned left = neighbours_of(memory, update);  // edges not seen yet
  Place place = {NO_BLOCK, 0, NO_BLOCK, false};
  #pragma unroll 1
  while (chain.blocks > 0 && !place.twin && (left > 0 || place.block == NO_BLOCK)) {
    volatile unsigned *words = block_at(memory, update.vertices, chain.block);
    unsigned next = words[LINK];  // no branch from here on: all loads are under way together
    #pragma unroll
    for (unsigned entry = 0; entry < EDGES_PER_BLOCK; entry++) {
      unsigned found = words[entry * EDGE_WORDS];
      bool hole = found == DELETIONMARKER;
      bool first = hole && place.block == NO_BLOCK;
      place.twin = place.twin || found == update.destination;
      place.block = first ? chain.block : place.block;
      place.entry = first ? entry : place.entry;
      left -= !hole;
    }
    place.last = chain.block;
    chain.block = next;
    chain.blocks--;
  }
  return place;
}

// The same by all lanes of a warp: a block at a time, the lanes side by side. All of them
// get the same place.
__device__ Place search_by_warp(unsigned *memory, Update update) {
  Chain chain = chain_of(memory, update);
  unsigned left = neighbours_of(memory, update);  // edges not seen yet
  unsigned lane = threadIdx.x % warpSize;
  Place place = {NO_BLOCK, 0, NO_BLOCK, false};
  #pragma unroll 1
  while (chain.blocks > 0 && !place.twin && (left > 0 || place.block == NO_BLOCK)) {
    volatile unsigned *words = block_at(memory, update.vertices, chain.block);
    unsigned next = words[LINK];
    #pragma unroll 1
    for (unsigned base = 0; base < EDGES_PER_BLOCK; base += warpSize) {
      unsigned entry = base + lane;
      bool inside = entry < EDGES_PER_BLOCK;
      unsigned found = inside ? words[entry * EDGE_WORDS] : DELETIONMARKER;
      bool live = found != DELETIONMARKER;
      unsigned holes = __ballot_sync(EVERY_LANE, inside && !live);
      bool twin = __any_sync(EVERY_LANE, live && found == update.destination);
      place.twin = place.twin || twin;
      if (holes != 0 && place.block == NO_BLOCK) {
        place.block = chain.block;
        place.entry = base + __ffs(holes) - 1;
      }
      left -= __popc(__ballot_sync(EVERY_LANE, live));
    }
    place.last = chain.block;
    chain.block = next;
    chain.blocks--;
  }
  return place;
}

// Writes an update's edge into the entry that was found.
__device__ __forceinline__ void fill_hole(unsigned *memory, Update update, Place place) {
  unsigned *words = block_at(memory, update.vertices, place.block);
  store_edge(words + place.entry * EDGE_WORDS, update.batch, update.number);
}

// Links a new block behind the last one of a vertex, once it is whole.
__device__ __forceinline__ void link_block(unsigned *memory, Update update, unsigned last,
                                           unsigned block) {
  Vertices all = vertices_of(memory, update.vertices);
  __threadfence();
  volatile unsigned *link = all.memindex + update.source;
  if (last != NO_BLOCK) link = block_at(memory, update.vertices, last) + LINK;
  *link = block;
  volatile unsigned *capacity = all.capacity + update.source;
  *capacity = *capacity + EDGES_PER_BLOCK;
}

__device__ __forceinline__ void count_neighbour(unsigned *memory, Update update) {
  Vertices all = vertices_of(memory, update.vertices);
  volatile unsigned *neighbours = all.neighbours + update.source;
  *neighbours = *neighbours + 1;
}

// Puts an update's edge into the free entry that was found, or into a new block; its
// source's lock is held.
__device__ int insert_at(unsigned *memory, Update update, Place place) {
  if (place.twin) return UNCHANGED;
  if (place.block != NO_BLOCK) {
    fill_hole(memory, update, place);
  } else {
    unsigned taken = take_block(manager_of(memory));
    if (taken == NO_BLOCK) return REFUSED;
    volatile unsigned *words = block_at(memory, update.vertices, taken);
    #pragma unroll
    for (unsigned word = EDGE_WORDS; word < BLOCK_WORDS; word++) words[word] = DELETIONMARKER;
    store_edge(words, update.batch, update.number);
    link_block(memory, update, place.last, taken);
  }
  count_neighbour(memory, update);
  return APPLIED;
}

// The same by all lanes of a warp, whose first one holds the lock. All get the same result.
__device__ int insert_at_by_warp(unsigned *memory, Update update, Place place) {
  unsigned lane = threadIdx.x % warpSize;
  if (place.twin) return UNCHANGED;
  __syncwarp();  // all have read before the first one writes
  if (place.block != NO_BLOCK) {
    if (lane == 0) fill_hole(memory, update, place);
  } else {
    unsigned taken = NO_BLOCK;
    if (lane == 0) taken = take_block(manager_of(memory));
    taken = __shfl_sync(EVERY_LANE, taken, 0);
    if (taken == NO_BLOCK) return REFUSED;
    volatile unsigned *words = block_at(memory, update.vertices, taken);
    #pragma unroll 1
    for (unsigned word = EDGE_WORDS + lane; word < BLOCK_WORDS; word += warpSize) {
      words[word] = DELETIONMARKER;
    }
    if (lane == 0) store_edge(words, update.batch, update.number);
    __threadfence();
    __syncwarp();  // the block is whole before it is linked
    if (lane == 0) link_block(memory, update, place.last, taken);
  }
  if (lane == 0) count_neighbour(memory, update);
  return APPLIED;
}

// Whether this thread is the one that makes a free entry of an edge.
__device__ __forceinline__ bool delete_entry(unsigned *memory, Update update, unsigned *entry) {
  if (atomicCAS(entry, update.destination, DELETIONMARKER) != update.destination) return false;
  atomicSub(vertices_of(memory, update.vertices).neighbours + update.source, 1u);
  return true;
}

// Deletes an edge. Entries are looked at up to the capacity: free ones lie between edges.
__device__ int delete_by_thread(unsigned *memory, Update update) {
  Chain chain = chain_of(memory, update);
  #pragma unroll 1
  for (; chain.blocks > 0; chain.blocks--) {
    unsigned *words = block_at(memory, update.vertices, chain.block);
    volatile unsigned *read = words;
    unsigned next = read[LINK];
    unsigned place = EDGES_PER_BLOCK;
    #pragma unroll
    for (unsigned entry = 0; entry < EDGES_PER_BLOCK; entry++) {
      if (read[entry * EDGE_WORDS] == update.destination) place = entry;
    }
    if (place < EDGES_PER_BLOCK) {
      return delete_entry(memory, update, words + place * EDGE_WORDS) ? APPLIED : UNCHANGED;
    }
    chain.block = next;
  }
  return UNCHANGED;
}

// The same by all lanes of a warp, which get the same result.
__device__ int delete_by_warp(unsigned *memory, Update update) {
  Chain chain = chain_of(memory, update);
  unsigned lane = threadIdx.x % warpSize;
  #pragma unroll 1
  for (; chain.blocks > 0; chain.blocks--) {
    unsigned *words = block_at(memory, update.vertices, chain.block);
    volatile unsigned *read = words;
    unsigned next = read[LINK];
    #pragma unroll 1
    for (unsigned base = 0; base < EDGES_PER_BLOCK; base += warpSize) {
      unsigned entry = base + lane;
      bool met = entry < EDGES_PER_BLOCK && read[entry * EDGE_WORDS] == update.destination;
      bool deleted = met && delete_entry(memory, update, words + entry * EDGE_WORDS);
      if (__any_sync(EVERY_LANE, met)) {
        return __any_sync(EVERY_LANE, deleted) ? APPLIED : UNCHANGED;
      }
    }
    chain.block = next;
  }
  return UNCHANGED;
}
