// Two scans with a prefix sum between: what double-scan and strided-scan share.
//
// Every thread is responsible for one segment of the status array. The first
// scan counts the vertices of each segment that belong into the queue, a prefix
// sum turns counts into places, and the second scan writes the vertices there.
// The queue comes out sorted, and nothing is atomic.

#pragma once

#include "block_scan.cuh"

// The vertices [begin, end) of a thread's segment. Segments are whole warps'
// widths long, and differ by at most one such width.
struct Segment {
  int begin;
  int end;
};

__device__ Segment own_segment(int vertices) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int widths = vertices / warpSize + (vertices % warpSize > 0);
  int each = widths / threads;
  int longer = widths % threads;  // the first segments have one width more
  Segment segment;
  segment.begin = (thread * each + min(thread, longer)) * warpSize;
  segment.end = segment.begin + (each + (thread < longer)) * warpSize;
  segment.begin = min(segment.begin, vertices);
  segment.end = min(segment.end, vertices);
  return segment;
}

// Between the scans, within the block.
// place[t]:         receives how many of the block's vertices come before those
//                   of thread t.
// block_totals[b]:  receives how many vertices block b has.
__device__ void store_counts(int count, int *place, int *block_totals) {
  __shared__ int warp_totals[MOST_WARPS];
  int before = block_exclusive_sum(count, warp_totals);
  place[blockIdx.x * blockDim.x + threadIdx.x] = before;
  if (threadIdx.x == blockDim.x - 1) block_totals[blockIdx.x] = before + count;
}

// Between the scans, over the blocks: one block, a thread for each.
// block_totals[b]:  becomes how many vertices the blocks before b have.
// size:             receives how many vertices there are in all.
extern "C" __global__ void segment_places(int *block_totals, int blocks, int *size) {
  __shared__ int warp_totals[MOST_WARPS];
  int total = threadIdx.x < blocks ? block_totals[threadIdx.x] : 0;
  int before = block_exclusive_sum(total, warp_totals);
  if (threadIdx.x < blocks) block_totals[threadIdx.x] = before;
  if (threadIdx.x == blockDim.x - 1) *size = before + total;
}
