// A kernel for each class of vertices, which expands a queue of them.
//
// Each group of threads has one vertex and one launch: with a second vertex a thread
// might look at more edges than it has registers. Where the discoveries go is what
// techniques differ in, as their `push` says.

#pragma once

#include "block_maximum.cuh"
#include "classes.cuh"
#include "csr.cuh"

// offsets, neighbours: the graph.
// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  queue of vertices of the kernel's class, at distance next_depth - 1.
// next:      one queue or several of `vertices` places each, that receive the vertices
//            at distance next_depth.
// tails[q]:  how many vertices queue q has; the host resets them to 0.

// Appends a thread's discoveries, those entries of its queue whose bits are set in
// `discovered`, to the next queues. All threads of the block call together, also for
// several vertices one after another.
__device__ void push(const offset_t *offsets, const int *queue, unsigned discovered, int *next,
                     int *tails, int vertices);

// Looks at the edges of vertex u that are this thread's, number `thread` of the
// `threads` that share it: the one at its own number, and every `threads` edges
// another, EDGES_PER_THREAD at most. Entry k of the queue becomes the vertex that is
// discovered by edge k. Returns which entries there are. No vertex, -1, has no edges.
__device__ __forceinline__ unsigned discover(const offset_t *offsets, const int *neighbours,
                                             int *level, int u, offset_t thread,
                                             offset_t threads, int next_depth, int *queue) {
  offset_t first = 0;
  offset_t left = 0;  // edges from this thread's first one on
  if (u >= 0) {
    offset_t end = offsets[u + 1];
    first = offsets[u];
    left = end - first - thread;
  }
  unsigned discovered = 0;
  #pragma unroll
  for (int k = 0; k < EDGES_PER_THREAD; k++) {
    queue[k] = -1;
    if (k * threads < left) {
      int v = neighbours[first + thread + k * threads];
      // No look at the status first: the swap is the look, and exactly one thread
      // gets the -1 back, so that nobody enqueues a vertex twice.
      if (atomicCAS(&level[v], -1, next_depth) == -1) {
        queue[k] = v;
        discovered |= 1u << k;
      }
    }
  }
  return discovered;
}

// Lets a thread do its share of vertex u, number `thread` of `threads`.
__device__ __forceinline__ void explore(const offset_t *offsets, const int *neighbours,
                                        int *level, int u, offset_t thread, offset_t threads,
                                        int *next, int *tails, int vertices, int next_depth) {
  int queue[EDGES_PER_THREAD];
  unsigned discovered =
      discover(offsets, neighbours, level, u, thread, threads, next_depth, queue);
  push(offsets, queue, discovered, next, tails, vertices);
}

// A thread for each vertex.
extern "C" __global__ void explore_small(const offset_t *offsets, const int *neighbours,
                                         int *level, const int *frontier, int frontier_size,
                                         int *next, int *tails, int vertices, int next_depth) {
  int u = entry(frontier, frontier_size, blockIdx.x * blockDim.x + threadIdx.x);
  explore(offsets, neighbours, level, u, 0, 1, next, tails, vertices, next_depth);
}

// A warp for each vertex.
extern "C" __global__ void explore_medium(const offset_t *offsets, const int *neighbours,
                                          int *level, const int *frontier, int frontier_size,
                                          int *next, int *tails, int vertices, int next_depth) {
  int warp = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize;
  int u = entry(frontier, frontier_size, warp);
  int lane = threadIdx.x % warpSize;
  explore(offsets, neighbours, level, u, lane, warpSize, next, tails, vertices, next_depth);
}

// A block for each vertex.
extern "C" __global__ void explore_large(const offset_t *offsets, const int *neighbours,
                                         int *level, const int *frontier, int frontier_size,
                                         int *next, int *tails, int vertices, int next_depth) {
  int u = entry(frontier, frontier_size, blockIdx.x);
  explore(offsets, neighbours, level, u, threadIdx.x, blockDim.x, next, tails, vertices,
          next_depth);
}

// The whole grid for each vertex, one vertex after the other: it has enough threads for
// the largest, and some of them no edge of a smaller one.
extern "C" __global__ void explore_huge(const offset_t *offsets, const int *neighbours,
                                        int *level, const int *frontier, int frontier_size,
                                        int *next, int *tails, int vertices, int next_depth) {
  offset_t thread = (offset_t)blockIdx.x * blockDim.x + threadIdx.x;
  offset_t threads = (offset_t)gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int i = 0; i < frontier_size; i++) {
    int u = frontier[i];
    explore(offsets, neighbours, level, u, thread, threads, next, tails, vertices, next_depth);
  }
}

// largest: receives the most neighbours that a vertex of the queue has; the host resets
//          it to 0. The grid may be of any size.
extern "C" __global__ void largest_degree(const offset_t *offsets, const int *frontier,
                                          int frontier_size, offset_t *largest) {
  offset_t own = 0;
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < frontier_size; i += threads) {
    int u = frontier[i];
    offset_t end = offsets[u + 1];
    own = max(own, end - offsets[u]);
  }
  own = block_maximum(own);
  if (threadIdx.x == 0) atomicMax(largest, own);
}
