// Insertion and deletion of vertices.
//
// What the host calls vertices is their id; kernels know them by index. The index of a
// vertex that was deleted is given to another one later.

#pragma once

#include "faimgraph_edges.cuh"
#include "vertex_lock.cuh"

// The insertion of vertices: whose ids are there already is refused, then the others get an
// index and a page each.
// ids:        what they shall be called, in ascending order.
// refused[i]: whether id i is not inserted; the host resets it to 0.
// indices[i]: receives the index of the vertex, NONE where it is refused.

// Refuses ids that the batch has before.
extern "C" __global__ void refuse_twins(const int *ids, int count, int *refused) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < count && ids[i] == ids[i - 1]) refused[i] = 1;
}

// Refuses ids that the graph has. A thread for each vertex looks for its id in the batch;
// the first of several that are equal is left by refuse_twins.
extern "C" __global__ void refuse_present(const int *vertices, int vertices_end, const int *ids,
                                          int count, int *refused) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices_end) return;
  int id = vertices[(long long)v * VERTEX_WORDS + HOST_ID];
  if (id == NONE) return;
  int low = 0;
  int high = count;
  #pragma unroll 1
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (ids[middle] < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low < count && ids[low] == id) refused[low] = 1;
}

// Inserts those that are not refused, `most` at most: so many indices and pages there are.
// values:  the words of each record behind its id, VERTEX_WORDS - WEIGHT of them; may be
//          null where that is none.
// tickets: how many have been inserted, 0 before.
extern "C" __global__ void insert_vertices(int *manager, int *page_queue, int page_queue_size,
                                           int *vertices, int *pages, int page_limit,
                                           int *vertex_queue, int vertex_queue_size,
                                           int vertex_limit, const int *ids, const int *values,
                                           int count, const int *refused, int *tickets, int most,
                                           int *indices) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  indices[i] = NONE;
  if (refused[i]) {
    atomicAdd(&manager[REFUSED], 1);
    return;
  }
  if (atomicAdd(tickets, 1) >= most) {
    atomicOr(&manager[ERRORS], OUT_OF_MEMORY);
    atomicAdd(&manager[NO_ROOM], 1);
    return;
  }
  Memory memory =
      memory_of(manager, page_queue, page_queue_size, vertices, pages, page_limit);
  IndexQueue free_vertices = {&manager[FREE_VERTICES], vertex_queue, vertex_queue_size};
  int index = dequeue_index(free_vertices);
  bool again = index != EMPTY;
  if (!again) index = take_next(&manager[NEXT_VERTEX], vertex_limit);
  int *vertex = vertex_at(vertices, index);
  // A vertex for whose pages the queue had no room has kept them.
  if (!again || vertex[FIRST_PAGE] == NONE) {
    int page = take_page(memory);
    clean_page(page_at(pages, page), 0, 1);
    vertex[FIRST_PAGE] = page;
    vertex[CAPACITY] = ENTRIES;
  }
  vertex[LOCK] = 0;
  vertex[NEIGHBOURS] = 0;
  vertex[HOST_ID] = ids[i];
  #pragma unroll
  for (int word = WEIGHT; word < VERTEX_WORDS; word++) {
    vertex[word] = values[(long long)i * (VERTEX_WORDS - WEIGHT) + word - WEIGHT];
  }
  indices[i] = index;
  atomicAdd(&manager[APPLIED], 1);
}

// The deletion of vertices: first they lose their ids, then all edges that lead to them are
// deleted, then their pages and their indices become free.
// doomed: their indices; won[i]: whether update i is the one that deletes its vertex.

// Takes the ids away. Of several updates with one vertex one wins.
extern "C" __global__ void take_ids(int *manager, int *vertices, const int *doomed, int count,
                                    int *won) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  int id = atomicExch(&vertex_at(vertices, doomed[i])[HOST_ID], NONE);
  won[i] = id != NONE;
  atomicAdd(&manager[id != NONE ? APPLIED : REFUSED], 1);
}

// Deletes the edge from a vertex to another as soon as its lock is free.
__device__ __forceinline__ void forget(Memory memory, int from, int to) {
  int *vertex = vertex_at(memory.vertices, from);
  if (vertex[HOST_ID] == NONE) return;  // its own edges go with it
  bool done = false;
  #pragma unroll 1
  while (!done) {
    if (try_lock((unsigned *)&vertex[LOCK])) {
      delete_locked<false>(memory, vertex, to);
      unlock((unsigned *)&vertex[LOCK]);
      done = true;
    }
  }
}

// Where every edge has its reverse: those whom a vertex leads to lead to it. A warp for
// each vertex, whose lanes take the edges of a page.
extern "C" __global__ void forget_by_lists(int *manager, int *page_queue, int page_queue_size,
                                           int *vertices, int *pages, int page_limit,
                                           const int *doomed, int count, const int *won) {
  int i = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize;
  if (i >= count || !won[i]) return;
  Memory memory =
      memory_of(manager, page_queue, page_queue_size, vertices, pages, page_limit);
  int v = doomed[i];
  const int *vertex = vertex_at(vertices, v);
  const int *page = page_at(pages, vertex[FIRST_PAGE]);
  int left = vertex[NEIGHBOURS];
  #pragma unroll 1
  while (left > 0) {
    int edges = min(left, ENTRIES);
    #pragma unroll 1
    for (int k = threadIdx.x % warpSize; k < edges; k += warpSize) {
      forget(memory, page[k * EDGE_WORDS], v);
    }
    __syncwarp();
    left -= edges;
    if (left > 0) page = page_at(pages, page[LINK]);
  }
}

// Where edges may have no reverse: a pass over the graph, a thread for each vertex.
extern "C" __global__ void forget_by_pass(int *manager, int *page_queue, int page_queue_size,
                                          int *vertices, int *pages, int page_limit,
                                          int vertices_end) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices_end) return;
  int *vertex = vertex_at(vertices, v);
  if (vertex[HOST_ID] == NONE) return;
  Memory memory =
      memory_of(manager, page_queue, page_queue_size, vertices, pages, page_limit);
  Place place = first_place(memory, vertex);
  int seen = 0;
  #pragma unroll 1
  while (seen < vertex[NEIGHBOURS]) {
    int to = place.page[place.entry];
    if (vertex_at(vertices, to)[HOST_ID] == NONE) {
      delete_locked<false>(memory, vertex, to);  // another edge comes to its place
    } else {
      seen++;
      place.entry += EDGE_WORDS;
      if (place.entry == ENTRIES * EDGE_WORDS && seen < vertex[NEIGHBOURS]) {
        place = next_place(memory, place);
      }
    }
  }
}

// Marks the entries of a page as none; its link stays.
__device__ __forceinline__ void clean_entries(volatile int *page) {
  #pragma unroll 1
  for (int word = 0; word < LINK; word++) page[word] = NONE;
}

// Frees the pages behind the first, as many as the queue has room for, then the first. Those
// that stay are cleaned for the next vertex.
__device__ __forceinline__ void free_chain(Memory memory, volatile int *vertex) {
  int first = vertex[FIRST_PAGE];
  volatile int *page = volatile_page(memory, first);
  int second = page[LINK];
  #pragma unroll 1
  while (second != NONE && free_page(memory, second)) {
    second = volatile_page(memory, second)[LINK];
    page[LINK] = second;
    vertex[CAPACITY] = vertex[CAPACITY] - ENTRIES;
  }
  if (second == NONE && free_page(memory, first)) {
    vertex[FIRST_PAGE] = NONE;
    vertex[CAPACITY] = 0;
    return;
  }
  clean_entries(page);
  #pragma unroll 1
  for (; second != NONE; second = page[LINK]) {
    page = volatile_page(memory, second);
    clean_entries(page);
  }
}

// Frees what the vertices had.
extern "C" __global__ void free_vertices(int *manager, int *page_queue, int page_queue_size,
                                         int *vertices, int *pages, int page_limit,
                                         int *vertex_queue, int vertex_queue_size,
                                         const int *doomed, int count, const int *won) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || !won[i]) return;
  Memory memory =
      memory_of(manager, page_queue, page_queue_size, vertices, pages, page_limit);
  volatile int *vertex = vertex_at(vertices, doomed[i]);
  free_chain(memory, vertex);
  vertex[NEIGHBOURS] = 0;
  IndexQueue free_vertices = {&manager[FREE_VERTICES], vertex_queue, vertex_queue_size};
  if (!enqueue_index(free_vertices, doomed[i])) {
    atomicOr(&manager[ERRORS], VERTEX_QUEUE_FULL);
  }
}
