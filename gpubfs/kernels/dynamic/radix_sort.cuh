// A stable sort of keys by four bits at a time, from the lowest to the highest.
//
// Of each digit that keys have in common there is a stretch of the sorted array. The
// first launch counts each block's keys by digit, an exclusive sum over the counts, of
// all blocks' zeros, then of all blocks' ones, turns counts into places, and the second
// launch moves the keys there. Keys with one digit stay in their order.

#pragma once

#include "device_sum.cuh"

#define DIGIT_BITS 4
#define DIGITS (1 << DIGIT_BITS)

__device__ __forceinline__ int digit_of(unsigned long long key, int shift) {
  return (int)(key >> shift) & (DIGITS - 1);
}

// counts[d * gridDim.x + b]: receives how many keys of block b have digit d.
extern "C" __global__ void count_digits(const unsigned long long *keys, int count, int shift,
                                        int *counts) {
  __shared__ int own[DIGITS];
  #pragma unroll 1
  for (int d = threadIdx.x; d < DIGITS; d += blockDim.x) own[d] = 0;
  __syncthreads();
  long long i = grid_thread();
  if (i < count) atomicAdd(&own[digit_of(keys[i], shift)], 1);
  __syncthreads();
  #pragma unroll 1
  for (int d = threadIdx.x; d < DIGITS; d += blockDim.x) {
    counts[(long long)d * gridDim.x + blockIdx.x] = own[d];
  }
}

// The lanes whose digit is this lane's, of those that have a key.
__device__ unsigned lanes_alike(int digit, bool has_key) {
  unsigned alike = __ballot_sync(EVERY_LANE, has_key);
  for (int bit = 0; bit < DIGIT_BITS; bit++) {
    bool own = digit >> bit & 1;
    unsigned votes = __ballot_sync(EVERY_LANE, own);
    alike &= own ? votes : ~votes;
  }
  return alike;
}

// How many threads before this one in the block have a key with its digit. All threads
// of the block call together.
__device__ int rank_in_block(int digit, bool has_key) {
  __shared__ int warp_counts[MOST_WARPS * DIGITS];
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  unsigned alike = lanes_alike(digit, has_key);
  int rank = __popc(alike & ((1u << lane) - 1));
  #pragma unroll 1
  for (int d = lane; d < DIGITS; d += warpSize) warp_counts[warp * DIGITS + d] = 0;
  __syncwarp();
  if (has_key && rank == 0) warp_counts[warp * DIGITS + digit] = __popc(alike);
  __syncthreads();
  #pragma unroll 1
  for (int w = 0; w < warp; w++) rank += warp_counts[w * DIGITS + digit];
  return rank;
}

// places[d * gridDim.x + b]: where the keys of block b with digit d begin.
// order[i]:                  what goes with key i.
extern "C" __global__ void move_by_digit(const unsigned long long *keys, const int *order,
                                         int count, int shift, const int *places,
                                         unsigned long long *moved_keys, int *moved_order) {
  long long i = grid_thread();
  bool has_key = i < count;
  unsigned long long key = has_key ? keys[i] : 0;
  int digit = digit_of(key, shift);
  int rank = rank_in_block(digit, has_key);
  if (has_key) {
    int place = places[(long long)digit * gridDim.x + blockIdx.x] + rank;
    moved_keys[place] = key;
    moved_order[place] = order[i];
  }
}
