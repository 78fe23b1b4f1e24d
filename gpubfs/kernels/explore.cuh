// A kernel for each class of vertices, which expands a queue of them.
//
// A group of threads has one vertex in a launch; only huge vertices take turns, and what
// a thread has discovered is pushed before the next turn. For the edges of two vertices
// it would need more registers. Where discoveries go is what techniques differ in, as
// their `push` says.

#pragma once

#include "adjacency.cuh"
#include "block_maximum.cuh"
#include "classes.cuh"

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

#ifdef PAGE_WORDS
#include "dynamic/page_discovery.cuh"
#else

// Looks at those edges of a vertex that are this thread's, number `thread` of the
// `threads` that share it: the one at its own number, and every `threads` edges
// another, EDGES_PER_THREAD at most. Entry k of the queue becomes the vertex that is
// discovered by edge k. Returns which entries there are.
__device__ __forceinline__ unsigned discover(const int *neighbours, int *level, Adjacency edges,
                                             offset_t thread, offset_t threads, int next_depth,
                                             int *queue) {
  offset_t left = edges.end - edges.begin - thread;  // from this thread's first edge on
  unsigned discovered = 0;
  #pragma unroll
  for (int k = 0; k < EDGES_PER_THREAD; k++) {
    queue[k] = -1;
    if (k * threads < left) {
      int v = neighbours[edges.begin + thread + k * threads];
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

#endif

// Lets a thread do its share of a vertex, number `thread` of `threads`.
__device__ __forceinline__ void explore(const offset_t *offsets, const int *neighbours,
                                        int *level, Adjacency edges, offset_t thread,
                                        offset_t threads, int *next, int *tails, int vertices,
                                        int next_depth) {
  int queue[EDGES_PER_THREAD];
  unsigned discovered = discover(neighbours, level, edges, thread, threads, next_depth, queue);
  push(offsets, queue, discovered, next, tails, vertices);
}

// A thread for each vertex.
extern "C" __global__ void explore_small(const offset_t *offsets, const int *neighbours,
                                         int *level, const int *frontier, int frontier_size,
                                         int *next, int *tails, int vertices, int next_depth) {
  int u = entry(frontier, frontier_size, blockIdx.x * blockDim.x + threadIdx.x);
  Adjacency edges = adjacency_of(offsets, u);
  explore(offsets, neighbours, level, edges, 0, 1, next, tails, vertices, next_depth);
}

// A warp for each vertex.
extern "C" __global__ void explore_medium(const offset_t *offsets, const int *neighbours,
                                          int *level, const int *frontier, int frontier_size,
                                          int *next, int *tails, int vertices, int next_depth) {
  int warp = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize;
  int lane = threadIdx.x % warpSize;
  Adjacency edges = adjacency_of(offsets, entry(frontier, frontier_size, warp));
  explore(offsets, neighbours, level, edges, lane, warpSize, next, tails, vertices,
          next_depth);
}

// A block for each vertex.
extern "C" __global__ void explore_large(const offset_t *offsets, const int *neighbours,
                                         int *level, const int *frontier, int frontier_size,
                                         int *next, int *tails, int vertices, int next_depth) {
  Adjacency edges = adjacency_of(offsets, entry(frontier, frontier_size, blockIdx.x));
  explore(offsets, neighbours, level, edges, threadIdx.x, blockDim.x, next, tails, vertices,
          next_depth);
}

// A row of the grid for each vertex, one vertex after the other: a row has enough
// threads for the largest. Blocks to which a smaller one leaves no edge pass it over.
extern "C" __global__ void explore_huge(const offset_t *offsets, const int *neighbours,
                                        int *level, const int *frontier, int frontier_size,
                                        int *next, int *tails, int vertices, int next_depth) {
  offset_t first = (offset_t)blockIdx.x * blockDim.x;
  offset_t threads = (offset_t)gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int i = blockIdx.y; i < frontier_size; i += gridDim.y) {
    Adjacency edges = adjacency_of(offsets, frontier[i]);
    if (first < EDGES_LENGTH(edges.begin, edges.end)) {
      explore(offsets, neighbours, level, edges, first + threadIdx.x, threads, next, tails,
              vertices, next_depth);
    }
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
    offset_t end = EDGES_END(offsets, u);
    own = max(own, EDGES_LENGTH(EDGES_BEGIN(offsets, u), end));
  }
  own = block_maximum(own);
  if (threadIdx.x == 0) atomicMax(largest, own);
}
