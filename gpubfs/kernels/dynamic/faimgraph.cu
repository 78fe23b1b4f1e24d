// faimgraph: vertices and pages of edges in one allocation, which kernels manage.
//
// Pages and vertices that are given up go into queues, and are taken from there before
// new ones are. A vertex has a lock, and who holds it may change its edges.

#include "block_scan.cuh"
#include "faimgraph_edges.cuh"
#include "faimgraph_vertices.cuh"

// What all kernels get of the graph:
// manager:     counters, errors and the states of the two queues, as manager.cuh has them.
// page_queue:  `page_queue_size` slots of the queue of free pages.
// vertices:    records of vertices, as pages.cuh has them.
// pages:       where page 0 begins; the others lie before it.
// page_limit:  how many pages there is room for.
// updates:     a batch of `count`, as edge_mode.cuh has it.

// Gives each vertex of a graph in compressed rows as many pages as its edges need, one at
// least, which follow each other. A thread for each vertex.
// offset_words: where the edges of each vertex begin, in 64 bits.
extern "C" __global__ void initialise_vertices(int *manager, int *vertices, int count,
                                               const int *offset_words) {
  const long long *offsets = (const long long *)offset_words;
  __shared__ int warp_totals[MOST_WARPS];
  __shared__ int first;  // page of the block
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  int degree = v < count ? offsets[v + 1] - offsets[v] : 0;
  int needed = v < count ? max(1, (degree + ENTRIES - 1) / ENTRIES) : 0;
  int before = block_exclusive_sum(needed, warp_totals);
  if (threadIdx.x == blockDim.x - 1) first = atomicAdd(&manager[NEXT_PAGE], before + needed);
  __syncthreads();
  if (v >= count) return;
  int *vertex = vertex_at(vertices, v);
  vertex[LOCK] = 0;
  vertex[FIRST_PAGE] = first + before;
  vertex[NEIGHBOURS] = degree;
  vertex[CAPACITY] = needed * ENTRIES;
  vertex[HOST_ID] = v;
  #pragma unroll
  for (int word = WEIGHT; word < VERTEX_WORDS; word++) vertex[word] = 0;
}

// Writes the pages of each vertex. A warp for each.
// edges: arrays of `edge_count` words one behind the other, in the order of `offsets`: the
//        destinations, and each of what the mode has besides.
extern "C" __global__ void initialise_pages(const int *vertices, int *pages, int count,
                                            const int *offset_words, const int *edges,
                                            long long edge_count) {
  const long long *offsets = (const long long *)offset_words;
  int v = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize;
  if (v >= count) return;
  const int *vertex = vertices + (long long)v * VERTEX_WORDS;
  int first = vertex[FIRST_PAGE];
  int degree = vertex[NEIGHBOURS];
  int needed = vertex[CAPACITY] / ENTRIES;
  long long begin = offsets[v];
  long long words = (long long)needed * PAGE_WORDS;
  #pragma unroll 1
  for (long long word = threadIdx.x % warpSize; word < words; word += warpSize) {
    int number = word / PAGE_WORDS;
    int at = word % PAGE_WORDS;
    long long edge = (long long)number * ENTRIES + at / EDGE_WORDS;
    int value = NONE;
    if (at == LINK) {
      if (number + 1 < needed) value = first + number + 1;
    } else if (at < ENTRIES * EDGE_WORDS && edge < degree) {
      value = edges[at % EDGE_WORDS * edge_count + begin + edge];
    }
    page_at(pages, first + number)[at] = value;
  }
}

// Adds up what became of the updates of a launch.
__device__ __forceinline__ void count_update(int *manager, int outcome, int retries) {
  if (outcome == CHANGED) atomicAdd(&manager[APPLIED], 1);
  if (outcome == UNCHANGED) atomicAdd(&manager[REFUSED], 1);
  if (outcome == FAILED) atomicAdd(&manager[NO_ROOM], 1);
  if (retries > 0) atomicAdd((unsigned *)&manager[RETRIES], (unsigned)retries);
}

// Does update i, of whose source the lock is held.
template <bool INSERT, bool WARP>
__device__ __forceinline__ int update_locked(Memory memory, int *vertex, Updates batch,
                                             unsigned i) {
  if constexpr (INSERT) {
    return insert_locked<WARP>(memory, vertex, batch, i);
  } else {
    return delete_locked<WARP>(memory, vertex, destination_of(batch, i));
  }
}

// A thread for each update.
template <bool INSERT>
__device__ __forceinline__ void update_by_thread(Memory memory, Updates batch) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch.count) return;
  int *vertex = vertex_at(memory.vertices, source_of(batch, i));
  int retries = -1;
  int outcome = FAILED;
  bool done = false;
  // Who does not get the lock tries again when those lanes that got theirs are done.
  #pragma unroll 1
  while (!done) {
    retries++;
    if (try_lock((unsigned *)&vertex[LOCK])) {
      outcome = update_locked<INSERT, false>(memory, vertex, batch, i);
      unlock((unsigned *)&vertex[LOCK]);
      done = true;
    }
  }
  count_update(memory.manager, outcome, retries);
}

// A warp for each update: its first lane locks and writes, all look at a page together.
template <bool INSERT>
__device__ __forceinline__ void update_by_warp(Memory memory, Updates batch) {
  unsigned i = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize;
  if (i >= batch.count) return;
  int lane = threadIdx.x % warpSize;
  int *vertex = vertex_at(memory.vertices, source_of(batch, i));
  int retries = -1;
  int outcome = FAILED;
  bool done = false;
  #pragma unroll 1
  while (!done) {
    bool locked = lane == 0 && try_lock((unsigned *)&vertex[LOCK]);
    retries++;
    if (__any_sync(EVERY_LANE, locked)) {
      __threadfence();
      __syncwarp();  // what the first lane may read, all may
      outcome = update_locked<INSERT, true>(memory, vertex, batch, i);
      __threadfence();
      __syncwarp();  // all have written
      if (lane == 0) unlock((unsigned *)&vertex[LOCK]);
      done = true;
    }
  }
  if (lane == 0) count_update(memory.manager, outcome, retries);
}

extern "C" __global__ void insert_by_thread(int *manager, int *page_queue, int page_queue_size,
                                            int *vertices, int *pages, int page_limit,
                                            const unsigned *updates, unsigned count) {
  Memory memory =
      memory_of(manager, page_queue, page_queue_size, vertices, pages, page_limit);
  Updates batch = {updates, count};
  update_by_thread<true>(memory, batch);
}

extern "C" __global__ void insert_by_warp(int *manager, int *page_queue, int page_queue_size,
                                          int *vertices, int *pages, int page_limit,
                                          const unsigned *updates, unsigned count) {
  Memory memory =
      memory_of(manager, page_queue, page_queue_size, vertices, pages, page_limit);
  Updates batch = {updates, count};
  update_by_warp<true>(memory, batch);
}

extern "C" __global__ void delete_by_thread(int *manager, int *page_queue, int page_queue_size,
                                            int *vertices, int *pages, int page_limit,
                                            const unsigned *updates, unsigned count) {
  Memory memory =
      memory_of(manager, page_queue, page_queue_size, vertices, pages, page_limit);
  Updates batch = {updates, count};
  update_by_thread<false>(memory, batch);
}

extern "C" __global__ void delete_by_warp(int *manager, int *page_queue, int page_queue_size,
                                          int *vertices, int *pages, int page_limit,
                                          const unsigned *updates, unsigned count) {
  Memory memory =
      memory_of(manager, page_queue, page_queue_size, vertices, pages, page_limit);
  Updates batch = {updates, count};
  update_by_warp<false>(memory, batch);
}
