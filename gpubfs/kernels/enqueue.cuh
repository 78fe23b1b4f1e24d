// Room in a queue for what the threads of a block have found.
//
// Two ways, chosen by the option `enqueue`: every thread that found something
// adds to the queue's tail, or the block adds up first and adds once for all.
// All threads of the block must call together.

#pragma once

#define ENQUEUE_ATOMIC 0
#define ENQUEUE_PREFIX_SUM 1
#ifndef ENQUEUE
#define ENQUEUE ENQUEUE_ATOMIC
#endif

#if ENQUEUE == ENQUEUE_PREFIX_SUM
#include "block_scan.cuh"
#endif

// The first of `wanted` places in the queue that ends at *tail. No other thread
// gets them.
__device__ int reserve(int *tail, int wanted) {
#if ENQUEUE == ENQUEUE_PREFIX_SUM
  __shared__ int warp_totals[MOST_WARPS];
  __shared__ int start;  // where this block's places begin
  int place = block_exclusive_sum(wanted, warp_totals);
  // The last thread's sum with its own share is the block's total.
  if (threadIdx.x == blockDim.x - 1) {
    int total = place + wanted;
    start = total > 0 ? atomicAdd(tail, total) : 0;
  }
  __syncthreads();
  place += start;
  __syncthreads();  // the next call writes `start` and `warp_totals` again
  return place;
#else
  return wanted > 0 ? atomicAdd(tail, wanted) : 0;
#endif
}

// Appends v to the queue that ends at *tail, if it is wanted.
__device__ void enqueue(int *queue, int *tail, int v, bool wanted) {
#if ENQUEUE == ENQUEUE_PREFIX_SUM
  int place = reserve(tail, wanted);
  if (wanted) queue[place] = v;
#else
  // All add the same constant: NVIDIA's compilers make one atomic of a warp's.
  if (wanted) queue[atomicAdd(tail, 1)] = v;
#endif
}
