// aimGraph's insertion as Algorithm 1 of the paper prints it, which is wrong: the search
// ends at the first free entry, and the edge may stand behind it.

#include "aimgraph_update.cuh"

__device__ Place search_as_printed(unsigned *memory, Update update) {
  Vertices all = vertices_of(memory, update.vertices);
  unsigned neighbours = *(volatile unsigned *)(all.neighbours + update.source);
  unsigned capacity = *(volatile unsigned *)(all.capacity + update.source);
  unsigned block = *(volatile unsigned *)(all.memindex + update.source);
  Place place = {NO_BLOCK, 0, NO_BLOCK, false};
  #pragma unroll 1
  for (unsigned index = 0; index < capacity; index++) {
    volatile unsigned *words = block_at(memory, update.vertices, block);
    unsigned entry = index % EDGES_PER_BLOCK;
    unsigned found = words[entry * EDGE_WORDS];
    if (found == DELETIONMARKER || index >= neighbours) {  // remember index; break
      place.block = block;
      place.entry = entry;
      break;
    }
    if (found == update.destination) {  // found duplicate, ignore
      place.twin = true;
      break;
    }
    place.last = block;
    if (entry == EDGES_PER_BLOCK - 1) block = words[LINK];
  }
  return place;
}

// All other kernels, and the insertion with this search.
#define search_by_thread search_as_printed
#include "aimgraph.cu"
