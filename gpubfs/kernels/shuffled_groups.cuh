// Vertex-based mapping by shuffles: WIDTH lanes take their WIDTH vertices in turn.
//
// Busato and Bombieri 2018, Section 3.1, right of Figure 2.

#pragma once

#include "expansion.cuh"
#include "visit.cuh"

// What gathering by warps and blocks needs; the shuffles need none.
#define SLOTS 2

// Expands the lanes' vertices. All lanes of the warp must call together, those
// without a vertex, too, and all take WIDTH turns.
__device__ void expand(Expansion to, Adjacency own, offset_t *slots) {
  if (!any_edges(own)) return;  // and spare the turns
  #pragma unroll 1
  for (int turn = 0; turn < WIDTH; turn++) {
    // The offsets are what a lane needs of another's vertex: nobody loads them again.
    offset_t begin = __shfl_sync(EVERY_LANE, own.begin, turn, WIDTH);
    offset_t end = __shfl_sync(EVERY_LANE, own.end, turn, WIDTH);
    look_at(to, begin + virtual_lane(), end, WIDTH);
  }
}
