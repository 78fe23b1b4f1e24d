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

// A place for an edge, and the block behind which there is a place for a block.
struct Place {
  unsigned block;  // NO_BLOCK if no entry is free
  unsigned entry;
  unsigned last;   // the last block that was looked at, or NO_BLOCK
};

// Links a new block behind the last one of a vertex, once it is whole.
__device__ __forceinline__ void link_block(unsigned *memory, unsigned vertices, Vertices all,
                                           unsigned source, unsigned last, unsigned block) {
  __threadfence();
  volatile unsigned *link = all.memindex + source;
  if (last != NO_BLOCK) link = block_at(memory, vertices, last) + LINK;
  *link = block;
  volatile unsigned *capacity = all.capacity + source;
  *capacity = *capacity + EDGES_PER_BLOCK;
}

// Writes update i into the entry that was found.
__device__ __forceinline__ void fill_hole(unsigned *memory, unsigned vertices, Place place,
                                          Updates batch, unsigned i) {
  store_edge(block_at(memory, vertices, place.block) + place.entry * EDGE_WORDS, batch, i);
}

__device__ __forceinline__ void count_neighbour(Vertices all, unsigned source) {
  volatile unsigned *neighbours = all.neighbours + source;
  *neighbours = *neighbours + 1;
}

// Inserts update i; its source's lock is held.
//
// The first free entry is remembered, and the search goes on until all `neighbours` edges
// were seen: the new edge may stand behind a free entry.
__device__ int insert_by_thread(unsigned *memory, Updates batch, unsigned i) {
  Manager *manager = manager_of(memory);
  unsigned vertices = manager->vertices;
  Vertices all = vertices_of(memory, vertices);
  unsigned source = source_of(batch, i);
  unsigned destination = destination_of(batch, i);
  unsigned left = *(volatile unsigned *)(all.neighbours + source);  // edges not seen yet
  unsigned blocks = *(volatile unsigned *)(all.capacity + source) / EDGES_PER_BLOCK;
  unsigned block = *(volatile unsigned *)(all.memindex + source);
  Place place = {NO_BLOCK, 0, NO_BLOCK};
  bool twin = false;
  #pragma unroll 1
  for (; blocks > 0 && !twin && (left > 0 || place.block == NO_BLOCK); blocks--) {
    volatile unsigned *words = block_at(memory, vertices, block);
    // No branch, so that the loads are under way together.
    #pragma unroll
    for (unsigned entry = 0; entry < EDGES_PER_BLOCK; entry++) {
      unsigned found = words[entry * EDGE_WORDS];
      bool hole = found == DELETIONMARKER;
      bool first = hole && place.block == NO_BLOCK;
      twin = twin || found == destination;
      place.block = first ? block : place.block;
      place.entry = first ? entry : place.entry;
      left -= !hole;
    }
    place.last = block;
    block = words[LINK];
  }
  if (twin) return UNCHANGED;
  if (place.block != NO_BLOCK) {
    fill_hole(memory, vertices, place, batch, i);
  } else {
    unsigned taken = take_block(manager);
    if (taken == NO_BLOCK) return REFUSED;
    volatile unsigned *words = block_at(memory, vertices, taken);
    #pragma unroll
    for (unsigned word = EDGE_WORDS; word < BLOCK_WORDS; word++) words[word] = DELETIONMARKER;
    store_edge(words, batch, i);
    link_block(memory, vertices, all, source, place.last, taken);
  }
  count_neighbour(all, source);
  return APPLIED;
}

// The same by all lanes of a warp, whose first one holds the lock: a block at a time, the
// lanes side by side. All lanes get the same result.
__device__ int insert_by_warp(unsigned *memory, Updates batch, unsigned i) {
  Manager *manager = manager_of(memory);
  unsigned vertices = manager->vertices;
  Vertices all = vertices_of(memory, vertices);
  unsigned source = source_of(batch, i);
  unsigned destination = destination_of(batch, i);
  unsigned lane = threadIdx.x % warpSize;
  unsigned left = *(volatile unsigned *)(all.neighbours + source);
  unsigned blocks = *(volatile unsigned *)(all.capacity + source) / EDGES_PER_BLOCK;
  unsigned block = *(volatile unsigned *)(all.memindex + source);
  Place place = {NO_BLOCK, 0, NO_BLOCK};
  bool twin = false;
  #pragma unroll 1
  for (; blocks > 0 && !twin && (left > 0 || place.block == NO_BLOCK); blocks--) {
    volatile unsigned *words = block_at(memory, vertices, block);
    #pragma unroll 1
    for (unsigned base = 0; base < EDGES_PER_BLOCK; base += warpSize) {
      unsigned entry = base + lane;
      bool inside = entry < EDGES_PER_BLOCK;
      unsigned found = inside ? words[entry * EDGE_WORDS] : DELETIONMARKER;
      bool live = found != DELETIONMARKER;
      unsigned holes = __ballot_sync(EVERY_LANE, inside && !live);
      twin = twin || __any_sync(EVERY_LANE, live && found == destination);
      if (holes != 0 && place.block == NO_BLOCK) {
        place.block = block;
        place.entry = base + __ffs(holes) - 1;
      }
      left -= __popc(__ballot_sync(EVERY_LANE, live));
    }
    place.last = block;
    block = words[LINK];
  }
  if (twin) return UNCHANGED;
  __syncwarp();  // all have read before the first one writes
  if (place.block != NO_BLOCK) {
    if (lane == 0) fill_hole(memory, vertices, place, batch, i);
  } else {
    unsigned taken = NO_BLOCK;
    if (lane == 0) taken = take_block(manager);
    taken = __shfl_sync(EVERY_LANE, taken, 0);
    if (taken == NO_BLOCK) return REFUSED;
    volatile unsigned *words = block_at(memory, vertices, taken);
    #pragma unroll 1
    for (unsigned word = EDGE_WORDS + lane; word < BLOCK_WORDS; word += warpSize) {
      words[word] = DELETIONMARKER;
    }
    if (lane == 0) store_edge(words, batch, i);
    __threadfence();
    __syncwarp();  // the block is whole before it is linked
    if (lane == 0) link_block(memory, vertices, all, source, place.last, taken);
  }
  if (lane == 0) count_neighbour(all, source);
  return APPLIED;
}

// Whether this thread is the one that makes a free entry of an edge.
__device__ __forceinline__ bool delete_entry(Vertices all, unsigned source, unsigned *entry,
                                             unsigned destination) {
  if (atomicCAS(entry, destination, DELETIONMARKER) != destination) return false;
  atomicSub(all.neighbours + source, 1u);
  return true;
}

// Deletes update i. Entries are looked at up to the capacity: free ones lie between edges.
__device__ int delete_by_thread(unsigned *memory, Updates batch, unsigned i) {
  unsigned vertices = manager_of(memory)->vertices;
  Vertices all = vertices_of(memory, vertices);
  unsigned source = source_of(batch, i);
  unsigned destination = destination_of(batch, i);
  unsigned blocks = all.capacity[source] / EDGES_PER_BLOCK;
  unsigned block = all.memindex[source];
  #pragma unroll 1
  for (; blocks > 0; blocks--) {
    unsigned *words = block_at(memory, vertices, block);
    volatile unsigned *read = words;
    unsigned place = EDGES_PER_BLOCK;
    #pragma unroll
    for (unsigned entry = 0; entry < EDGES_PER_BLOCK; entry++) {
      if (read[entry * EDGE_WORDS] == destination) place = entry;
    }
    if (place < EDGES_PER_BLOCK) {
      unsigned *entry = words + place * EDGE_WORDS;
      return delete_entry(all, source, entry, destination) ? APPLIED : UNCHANGED;
    }
    block = read[LINK];
  }
  return UNCHANGED;
}

// The same by all lanes of a warp, which get the same result.
__device__ int delete_by_warp(unsigned *memory, Updates batch, unsigned i) {
  unsigned vertices = manager_of(memory)->vertices;
  Vertices all = vertices_of(memory, vertices);
  unsigned source = source_of(batch, i);
  unsigned destination = destination_of(batch, i);
  unsigned lane = threadIdx.x % warpSize;
  unsigned blocks = all.capacity[source] / EDGES_PER_BLOCK;
  unsigned block = all.memindex[source];
  #pragma unroll 1
  for (; blocks > 0; blocks--) {
    unsigned *words = block_at(memory, vertices, block);
    volatile unsigned *read = words;
    #pragma unroll 1
    for (unsigned base = 0; base < EDGES_PER_BLOCK; base += warpSize) {
      unsigned entry = base + lane;
      bool met = entry < EDGES_PER_BLOCK && read[entry * EDGE_WORDS] == destination;
      bool deleted = met && delete_entry(all, source, words + entry * EDGE_WORDS, destination);
      if (__any_sync(EVERY_LANE, met)) {
        return __any_sync(EVERY_LANE, deleted) ? APPLIED : UNCHANGED;
      }
    }
    block = read[LINK];
  }
  return UNCHANGED;
}
