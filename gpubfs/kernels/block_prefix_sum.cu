// block-prefix-sum: collect discoveries in registers, enqueue them by blocks.
//
// One thread per frontier vertex. A thread keeps what it discovers in registers,
// a prefix sum over the block tells it where its share starts, and the last
// thread reserves space in the global queue for all: one atomic addition where
// scan-free needs one per vertex.

#include "block_scan.cuh"
#include "csr.cuh"

// Registers of a thread's queue, and so the edges it looks at in one round.
#ifndef EDGES_PER_THREAD
#define EDGES_PER_THREAD 4
#endif

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of the vertices at distance next_depth - 1.
// next:      queue that receives the vertices at distance next_depth.
// next_size: their number; the host resets it to 0.
// Dynamic shared memory: one int per warp of the block.
extern "C" __global__ void block_prefix_sum(const offset_t *offsets, const int *neighbours,
                                            int *level, const int *frontier,
                                            int frontier_size, int *next, int *next_size,
                                            int next_depth) {
  extern __shared__ int warp_totals[];
  __shared__ int start;  // where this block's vertices go in `next`

  // Threads past the end of the frontier have no edges, but they stay: all the
  // block's threads must reach its barriers.
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  offset_t edge = 0;
  offset_t end = 0;
  if (i < frontier_size) {
    int u = frontier[i];
    end = offsets[u + 1];
    edge = offsets[u];
  }

  // One round per EDGES_PER_THREAD edges of the block's largest vertex.
  #pragma unroll 1
  while (__syncthreads_or(edge < end)) {
    // queue[k] is the vertex discovered by the round's k-th edge, -1 if none.
    // Unrolled loops index it with constants, so that it stays in registers.
    int queue[EDGES_PER_THREAD];
    int discovered = 0;
    #pragma unroll
    for (int k = 0; k < EDGES_PER_THREAD; k++) {
      queue[k] = -1;
      if (edge < end) {
        int v = neighbours[edge];
        edge++;
        // No look at the status first: the swap is the look, and exactly one
        // thread gets the -1 back, so that nobody enqueues a vertex twice.
        if (atomicCAS(&level[v], -1, next_depth) == -1) {
          queue[k] = v;
          discovered++;
        }
      }
    }

    // The last thread's sum with its own count is the block's total.
    int slot = block_exclusive_sum(discovered, warp_totals);
    if (threadIdx.x == blockDim.x - 1) {
      int total = slot + discovered;
      if (total > 0) start = atomicAdd(next_size, total);
    }
    __syncthreads();

    // Threads write their shares side by side. If the total was 0, nobody does.
    if (discovered > 0) {
      slot += start;
      #pragma unroll
      for (int k = 0; k < EDGES_PER_THREAD; k++) {
        if (queue[k] >= 0) {
          next[slot] = queue[k];
          slot++;
        }
      }
    }
  }
}
