// A breadth-first search through a packed memory array: cta_warp_scan.cuh shares out the
// positions of rows, of which gaps, deleted edges and sentinels are loaded and dropped.

#include "adjacency.cuh"
#include "claim.cuh"
#include "packed_memory.cuh"

// Whether every thread counts what it drops.
#ifndef COUNT_GAPS
#define COUNT_GAPS 1
#endif

// The positions of the array, and how many of them this thread has dropped.
struct Entries {
  const edge_key *keys;
  const unsigned *values;
  int gaps;
};

// Claims the vertex at a position, if there is one. In the place of a column, a gap has
// the same bits as a sentinel.
__device__ void claim_entry(Entries &entries, offset_t position, int *level, int *next,
                            int *next_size, int next_depth) {
  unsigned column = column_of(entries.keys[position]);
  if (column != ROW_END && entries.values[position] != DELETED) {
    claim((int)column, level, next, next_size, next_depth);
  } else {
    entries.gaps++;
  }
}

__device__ void claim_entries(Entries &entries, offset_t first, offset_t end, int stride,
                              int *level, int *next, int *next_size, int next_depth) {
  #pragma unroll 1
  for (offset_t e = first; e < end; e += stride) {
    claim_entry(entries, e, level, next, next_size, next_depth);
  }
}

#define EDGES Entries &
#define CLAIM_AT claim_entry
#define CLAIM_RANGE claim_entries
#include "cta_warp_scan.cuh"

// keys, values, row_offsets: the array, as packed_memory.cuh has it.
// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1.
// next:      queue that receives the vertices at distance next_depth, in any order.
// next_size: their number; the host resets it to 0.
// gaps:      grows by how many positions were looked at in vain; the host gives each level
//            its own.
// The grid may be of any size: blocks go from tile to tile.
extern "C" __global__ void gpma_search(const edge_key *keys, const unsigned *values,
                                       const offset_t *row_offsets, int *level,
                                       const int *frontier, int frontier_size, int *next,
                                       int *next_size, int next_depth,
                                       unsigned long long *gaps) {
  Entries entries = {keys, values, 0};
  long long stride = (long long)gridDim.x * blockDim.x;
  #pragma unroll 1
  for (long long tile = (long long)blockIdx.x * blockDim.x; tile < frontier_size;
       tile += stride) {
    long long i = tile + threadIdx.x;
    Adjacency own = adjacency_of(row_offsets, i < frontier_size ? frontier[i] : -1);
    own.begin = gather_by_block(entries, own.begin, own.end, level, next, next_size, next_depth);
    own.begin = gather_by_warp(entries, own.begin, own.end, level, next, next_size, next_depth);
    gather_by_scan(entries, own.begin, own.end, level, next, next_size, next_depth);
  }
#if COUNT_GAPS
  block_add(gaps, entries.gaps);
#endif
}
