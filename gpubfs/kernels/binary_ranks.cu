// The binary prefix sum alone: what each lane of a block's warps gets from it.
//
// No technique: the example of Busato and Bombieri 2018, Figure 4, to be looked at.

#include "binary_scan.cuh"

// predicates[t]: 1 where thread t has a heavy vertex, else 0.
// rank[t]:       receives how many lanes of its warp below it have one.
extern "C" __global__ void binary_ranks(const int *predicates, int *rank) {
  bool heavy = predicates[threadIdx.x] != 0;
  unsigned votes = votes_of(heavy);
  rank[threadIdx.x] = rank_among(votes);
}
