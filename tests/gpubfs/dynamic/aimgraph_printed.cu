// aimGraph's insertion as Algorithm 1 of the paper prints it, which is wrong: the search
// ends at the first free entry, and the edge may stand behind it.

#define aimgraph_insert aimgraph_insert_mended
#include "aimgraph.cu"
#undef aimgraph_insert

// A place for update i, or whether its edge was met before the search ended.
__device__ Place search_as_printed(unsigned *memory, Updates batch, unsigned i, bool *twin) {
  unsigned vertices = manager_of(memory)->vertices;
  Vertices all = vertices_of(memory, vertices);
  unsigned source = source_of(batch, i);
  unsigned destination = destination_of(batch, i);
  volatile unsigned *neighbours = all.neighbours + source;
  volatile unsigned *capacity = all.capacity + source;
  volatile unsigned *memindex = all.memindex + source;
  unsigned block = *memindex;
  Place place = {NO_BLOCK, 0, NO_BLOCK};
  *twin = false;
  #pragma unroll 1
  for (unsigned index = 0; index < *capacity; index++) {
    volatile unsigned *words = block_at(memory, vertices, block);
    unsigned entry = index % EDGES_PER_BLOCK;
    unsigned found = words[entry * EDGE_WORDS];
    if (found == DELETIONMARKER || index >= *neighbours) {  // remember index; break
      place.block = block;
      place.entry = entry;
      break;
    }
    if (found == destination) {  // found duplicate
      *twin = true;
      break;
    }
    place.last = block;
    if (entry == EDGES_PER_BLOCK - 1) block = words[LINK];
  }
  return place;
}

__device__ int insert_as_printed(unsigned *memory, Updates batch, unsigned i) {
  Manager *manager = manager_of(memory);
  unsigned vertices = manager->vertices;
  Vertices all = vertices_of(memory, vertices);
  unsigned source = source_of(batch, i);
  bool twin;
  Place place = search_as_printed(memory, batch, i, &twin);
  if (twin) return UNCHANGED;
  if (place.block == NO_BLOCK) {
    unsigned taken = take_block(manager);
    if (taken == NO_BLOCK) return REFUSED;
    volatile unsigned *words = block_at(memory, vertices, taken);
    #pragma unroll 1
    for (unsigned word = 0; word < BLOCK_WORDS; word++) words[word] = DELETIONMARKER;
    store_edge(words, batch, i);
    link_block(memory, vertices, all, source, place.last, taken);
  } else {
    fill_hole(memory, vertices, place, batch, i);
  }
  count_neighbour(all, source);
  return APPLIED;
}

extern "C" __global__ void aimgraph_insert(unsigned *memory, const unsigned *words,
                                           unsigned updates) {
  Updates batch = {words, updates};
  Tally tally = nothing_yet();
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < updates) {
    unsigned vertices = manager_of(memory)->vertices;
    unsigned *lock = vertices_of(memory, vertices).lock + source_of(batch, i);
    bool done = false;
    #pragma unroll 1
    while (!done) {
      tally.lock_attempts++;
      if (try_lock(lock)) {
        count(tally, insert_as_printed(memory, batch, i));
        unlock(lock);
        done = true;
      }
    }
  }
  report(manager_of(memory), tally);
}
