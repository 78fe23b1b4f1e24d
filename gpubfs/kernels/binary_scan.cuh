// Ranks of the lanes that hold a predicate: the prefix sum of a warp's zeros and ones.
//
// Four instructions (Busato and Bombieri 2018, Figure 4): the mask of the lanes
// below this one, a ballot, which gives every lane the predicates of all, the AND
// of both, and the number of its bits. All lanes must call together.

#pragma once

#include "warp_scan.cuh"

// The bits of the lanes below this one: 111 for lane 3.
__device__ unsigned lanes_below() { return (1u << threadIdx.x % warpSize) - 1; }

// A bit for each lane that holds the predicate; __popc of it is their number.
__device__ unsigned votes_of(bool predicate) { return __ballot_sync(EVERY_LANE, predicate); }

// How many lanes below this one have a bit in `votes`.
__device__ int rank_among(unsigned votes) { return __popc(votes & lanes_below()); }
