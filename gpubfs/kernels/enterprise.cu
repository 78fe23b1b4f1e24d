// enterprise: queues by scans of the status array, classified by degree, then
// bottom-up levels with a cache of hubs.
//
// A scan puts the vertices of a frontier into bins, one for each thread and class;
// a prefix sum over their sizes turns bins into one queue for each class; and a
// thread, a warp, a block or the whole grid works on each vertex of a queue.
// Bottom-up, only the first queues are scanned: a vertex that finds no visited
// neighbour goes into the next queue of its class by itself.

#define ENQUEUE ENQUEUE_PREFIX_SUM
#include "adjacency.cuh"
#include "enqueue.cuh"
#include "hub_cache.cuh"
#include "segments.cuh"
#include "visit.cuh"

// level[v]: distance from the source, -1 where not visited yet.
// Classes: fewer edges than a warp has lanes, than a block has threads, than
// `grid_degree`, and the rest. Vertices without edges are in none.
#define CLASSES 4

__device__ int class_of(offset_t degree, int grid_degree) {
  if (degree < warpSize) return 0;
  if (degree < (int)blockDim.x) return 1;
  return degree < grid_degree ? 2 : 3;
}

// The part of the status array that a thread scans, and of each class's bins that
// it has to itself: first, first + step, … before end.
struct Stretch {
  int first;
  int end;
  int step;
};

// In order (`sorted`) a thread has a segment, so that queues come out sorted and
// loads are strided; otherwise the grid goes through all vertices side by side.
__device__ Stretch own_stretch(int vertices, int sorted) {
  Segment segment = own_segment(vertices);
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  Stretch own;
  own.first = sorted ? segment.begin : thread;
  own.end = sorted ? segment.end : vertices;
  own.step = sorted ? 1 : threads;
  return own;
}

// wanted:       the level that the queues are made of; -1 for the vertices not visited yet.
// bins:         V places for each class, cut into bins as `Stretch` says.
// bin_sizes:    receives for each class and thread how many vertices its bin has.
// places:       receives how many of the block's vertices of the class come before those.
// block_totals: receives for each class and block how many vertices it has.
// figures:      behind the sizes of the queues, the sum of all degrees; the host resets it.
extern "C" __global__ void enterprise_scan(const offset_t *offsets, const int *level,
                                           int vertices, int wanted, int sorted,
                                           int grid_degree, int *bins, int *bin_sizes,
                                           int *places, int *block_totals,
                                           unsigned long long *figures) {
  __shared__ int warp_totals[MOST_WARPS];
  Stretch own = own_stretch(vertices, sorted);
  int sizes[CLASSES] = {0, 0, 0, 0};  // in registers: indices are constants
  unsigned long long edges = 0;
  #pragma unroll 1
  for (int v = own.first; v < own.end; v += own.step) {
    if (level[v] == wanted) {
      offset_t degree = offsets[v + 1] - offsets[v];
      if (degree > 0) {
        int own_class = class_of(degree, grid_degree);
        int before = 0;
        #pragma unroll
        for (int c = 0; c < CLASSES; c++) {
          if (c == own_class) {
            before = sizes[c];
            sizes[c]++;
          }
        }
        int *bin = bins + (long long)own_class * vertices;
        bin[own.first + before * own.step] = v;
        edges += degree;
      }
    }
  }
  __syncwarp();
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  #pragma unroll
  for (int c = 0; c < CLASSES; c++) {
    int before = block_exclusive_sum(sizes[c], warp_totals);
    bin_sizes[c * threads + thread] = sizes[c];
    places[c * threads + thread] = before;
    if (threadIdx.x == blockDim.x - 1) {
      block_totals[c * gridDim.x + blockIdx.x] = before + sizes[c];
    }
    __syncthreads();  // the next class writes `warp_totals` again
  }
  block_add(&figures[CLASSES], edges);
}

// Between scan and gathering, over the blocks: one block, a thread for each.
// block_totals: becomes where each class and block begins in the queue; classes lie one
//               behind the other.
// figures:      receives the size of each class's queue.
extern "C" __global__ void enterprise_places(int *block_totals, int blocks,
                                             unsigned long long *figures) {
  __shared__ int warp_totals[MOST_WARPS];
  __shared__ int class_total;
  int start = 0;
  #pragma unroll 1
  for (int c = 0; c < CLASSES; c++) {
    int total = threadIdx.x < blocks ? block_totals[c * blocks + threadIdx.x] : 0;
    int before = block_exclusive_sum(total, warp_totals);
    if (threadIdx.x < blocks) block_totals[c * blocks + threadIdx.x] = start + before;
    if (threadIdx.x == blockDim.x - 1) {
      class_total = before + total;
      figures[c] = before + total;
    }
    __syncthreads();
    start += class_total;
    __syncthreads();  // not needed: the next sum has a barrier before `class_total` is written
  }
}

// Copies the bins to the queue.
extern "C" __global__ void enterprise_gather(int vertices, int sorted, const int *bins,
                                             const int *bin_sizes, const int *places,
                                             const int *block_totals, int *queue) {
  Stretch own = own_stretch(vertices, sorted);
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int c = 0; c < CLASSES; c++) {
    const int *bin = bins + (long long)c * vertices;
    int size = bin_sizes[c * threads + thread];
    // Most bins are empty, and their places of no use.
    if (size > 0) {
      int place = block_totals[c * gridDim.x + blockIdx.x] + places[c * threads + thread];
      #pragma unroll 1
      for (int n = 0; n < size; n++) queue[place + n] = bin[own.first + n * own.step];
    }
  }
}

// Top-down: `lanes` threads share each vertex of a class's queue. All who find a
// vertex write the same distance; the next scan finds it once.
// next_depth: the distance of the vertices that are discovered now.
extern "C" __global__ void enterprise_expand(const offset_t *offsets, const int *neighbours,
                                             int *level, const int *queue, int queue_size,
                                             int lanes, int next_depth) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int groups = gridDim.x * blockDim.x / lanes;
  #pragma unroll 1
  for (int i = thread / lanes; i < queue_size; i += groups) {
    mark_neighbours(offsets, neighbours, level, queue[i], thread % lanes, lanes, next_depth);
  }
}

// Remembers the hubs of a frontier that was found top-down.
extern "C" __global__ void enterprise_hubs(const offset_t *offsets, const int *queue,
                                           int queue_size, unsigned long long *hubs) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int i = thread; i < queue_size; i += threads) {
    int u = queue[i];
    remember_hub(hubs, u, offsets[u + 1] - offsets[u]);
  }
}

// Bottom-up, for all kernels below:
// queue:      vertices of one class that are not visited yet.
// next_depth: the distance that they get if a neighbour is one nearer.
// next:       receives those of them that have none.
// next_size:  their number; the host resets it to 0.
// hubs, next_hubs: those of this frontier, and of the vertices discovered now.

// What comes of v, of which the whole block waits for the places in the queue; -1
// for threads that have no vertex.
__device__ void settle(int v, bool discovered, const offset_t *offsets, int *level,
                       int next_depth, int *next, int *next_size,
                       unsigned long long *next_hubs) {
  bool kept = v >= 0 && !discovered;
  int place = reserve(next_size, kept);
  if (kept) next[place] = v;
  if (v >= 0 && discovered) {
    level[v] = next_depth;
    remember_hub(next_hubs, v, offsets[v + 1] - offsets[v]);
  }
}

// One thread a vertex.
extern "C" __global__ void enterprise_bottom_up_thread(
    const offset_t *offsets, const int *neighbours, int *level, const int *queue,
    int queue_size, int next_depth, int *next, int *next_size, const unsigned long long *hubs,
    unsigned long long *next_hubs) {
  __shared__ int cache[HUB_PLACES];
  load_hubs(hubs, cache);
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int first = blockIdx.x * blockDim.x; first < queue_size; first += threads) {
    int i = first + threadIdx.x;
    Adjacency own = adjacency_of(offsets, entry(queue, queue_size, i));
    bool discovered = false;
    #pragma unroll 1
    for (offset_t e = own.begin; e < own.end && !discovered; e++) {
      discovered = in_frontier(level, neighbours[e], next_depth - 1, cache);
    }
    __syncwarp();
    settle(own.vertex, discovered, offsets, level, next_depth, next, next_size, next_hubs);
  }
}

// One warp a vertex: its lanes look at neighbouring edges and stop together.
extern "C" __global__ void enterprise_bottom_up_warp(
    const offset_t *offsets, const int *neighbours, int *level, const int *queue,
    int queue_size, int next_depth, int *next, int *next_size, const unsigned long long *hubs,
    unsigned long long *next_hubs) {
  __shared__ int cache[HUB_PLACES];
  load_hubs(hubs, cache);
  int lane = threadIdx.x % warpSize;
  int warps = blockDim.x / warpSize;
  int all_warps = gridDim.x * warps;
  #pragma unroll 1
  for (int first = blockIdx.x * warps; first < queue_size; first += all_warps) {
    int i = first + threadIdx.x / warpSize;
    // One word for all lanes.
    Adjacency own = adjacency_of(offsets, entry(queue, queue_size, i));
    bool discovered = false;
    #pragma unroll 1
    for (offset_t turn = own.begin; turn < own.end && !discovered; turn += warpSize) {
      offset_t e = turn + lane;
      bool found = e < own.end && in_frontier(level, neighbours[e], next_depth - 1, cache);
      discovered = __any_sync(EVERY_LANE, found);
    }
    int v = lane == 0 ? own.vertex : -1;
    settle(v, discovered, offsets, level, next_depth, next, next_size, next_hubs);
  }
}

// One block a vertex.
extern "C" __global__ void enterprise_bottom_up_block(
    const offset_t *offsets, const int *neighbours, int *level, const int *queue,
    int queue_size, int next_depth, int *next, int *next_size, const unsigned long long *hubs,
    unsigned long long *next_hubs) {
  __shared__ int cache[HUB_PLACES];
  load_hubs(hubs, cache);
  #pragma unroll 1
  for (int i = blockIdx.x; i < queue_size; i += gridDim.x) {
    Adjacency own = adjacency_of(offsets, queue[i]);
    bool discovered = false;
    #pragma unroll 1
    for (offset_t turn = own.begin; turn < own.end && !discovered; turn += blockDim.x) {
      offset_t e = turn + threadIdx.x;
      bool found = e < own.end && in_frontier(level, neighbours[e], next_depth - 1, cache);
      discovered = __syncthreads_or(found);
    }
    int v = threadIdx.x == 0 ? own.vertex : -1;
    settle(v, discovered, offsets, level, next_depth, next, next_size, next_hubs);
  }
}

// The grid: who finds a visited neighbour of a vertex says so in its level, and
// what comes of the vertices is for a kernel of its own, after all have looked.
extern "C" __global__ void enterprise_bottom_up_grid(
    const offset_t *offsets, const int *neighbours, int *level, const int *queue,
    int queue_size, int next_depth, const unsigned long long *hubs) {
  __shared__ int cache[HUB_PLACES];
  load_hubs(hubs, cache);
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int i = 0; i < queue_size; i++) {
    Adjacency own = adjacency_of(offsets, queue[i]);
    bool discovered = false;
    #pragma unroll 1
    for (offset_t e = own.begin + thread; e < own.end && !discovered; e += threads) {
      discovered = in_frontier(level, neighbours[e], next_depth - 1, cache);
    }
    __syncwarp();
    if (discovered) level[own.vertex] = next_depth;
  }
}

extern "C" __global__ void enterprise_settle(const offset_t *offsets, int *level,
                                             const int *queue, int queue_size, int next_depth,
                                             int *next, int *next_size,
                                             unsigned long long *next_hubs) {
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int first = blockIdx.x * blockDim.x; first < queue_size; first += threads) {
    int i = first + threadIdx.x;
    int v = entry(queue, queue_size, i);
    bool discovered = v >= 0 && level[v] == next_depth;
    settle(v, discovered, offsets, level, next_depth, next, next_size, next_hubs);
  }
}
