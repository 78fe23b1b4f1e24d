// Scan-based mapping: a prefix sum puts the warp's edges side by side in shared memory.
//
// Busato and Bombieri 2018, Section 3.2, after Merrill et al. 2012.

#pragma once

#include "expansion.cuh"

// Edges that a lane looks at in a turn: a warp's slice of shared memory holds as
// many for each lane.
#ifndef ITEMS
#define ITEMS 4
#endif
#define SLOTS ITEMS

// The sum of the degrees of the lanes before this one.
__device__ offset_t degrees_before(offset_t degree) {
  if constexpr (sizeof(offset_t) == sizeof(int)) {
    return warp_inclusive_sum((int)degree) - degree;
  } else {
    // A warp may have more edges than an int counts: two sums of halves.
    const offset_t half = 1 << 20;
    int high = warp_inclusive_sum((int)(degree / half));
    int low = warp_inclusive_sum((int)(degree % half));
    return high * half + low - degree;
  }
}

// Looks at ITEMS edges a lane, side by side: a whole slice. Every lane has as many,
// so that loops without branches load all before anything is done with it.
__device__ void look_at_slice(Expansion to, const offset_t *slice) {
  int lane = threadIdx.x % warpSize;
  int found[ITEMS];  // indexed with constants, and so in registers
  #pragma unroll
  for (int k = 0; k < ITEMS; k++) found[k] = to.neighbours[slice[lane + k * warpSize]];
  #pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    claim(found[k], to.level, to.next, to.next_size, to.next_depth);
    __syncwarp();
  }
}

// Looks at the first `count` edges of the slice: the last turn, in which some lanes
// have fewer than others.
__device__ void look_at_rest(Expansion to, const offset_t *slice, int count) {
  #pragma unroll 1
  for (int k = threadIdx.x % warpSize; k < count; k += warpSize) {
    claim(to.neighbours[slice[k]], to.level, to.next, to.next_size, to.next_depth);
  }
  __syncwarp();
}

// Expands the lanes' vertices. All lanes of the warp must call together, those
// without a vertex, too.
// slots: shared memory for SLOTS elements for each thread of the block.
__device__ void expand(Expansion to, Adjacency own, offset_t *slots) {
  if (!any_edges(own)) return;  // and spare the sum
  offset_t *slice = warp_slice(slots, SLOTS);
  int items = ITEMS * warpSize;
  offset_t degree = own.end - own.begin;
  // Where the lane's next edge goes, relative to the slice: lanes whose turn has not
  // come yet stay behind its end.
  offset_t place = degrees_before(degree);
  // What the whole warp has left, the same in all lanes.
  offset_t total = __shfl_sync(EVERY_LANE, place + degree, warpSize - 1);

  #pragma unroll 1
  while (total > 0) {
    #pragma unroll 1
    while (own.begin < own.end && place < items) {
      slice[place] = own.begin;
      place++;
      own.begin++;
    }
    __syncwarp();
    if (total >= items) {
      look_at_slice(to, slice);
    } else {
      look_at_rest(to, slice, (int)total);
    }
    total -= items;
    place -= items;
  }
}
