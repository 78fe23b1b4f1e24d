// custinger: an array of edges for each vertex, allocated and replaced by the host.
//
// A block is one warp and works on `group` updates one after the other: its lanes look
// through the adjacency side by side, one of them appends. Nothing is locked. A warp
// looks for twins of its edge (the same edge, from another update of the batch) behind
// its own store, but the store of the other warp may not be visible by then: then both
// stay. That race is the paper's and is not mended.

#include "csr.cuh"
#include "edge_mode.cuh"
#include "warp_scan.cuh"

// A place of an adjacency without an edge. Places behind the last edge hold it, too: a
// search that runs into a place that another warp has taken and not written yet must
// not find what was there before.
#define EMPTY (-1)

// Where the columns of a vertex's edges begin, each with one word of all of them:
// destinations first. Pointers to columns
// fill a block of 64 bytes, whichever of them are used.
struct Record {
  int *column[8];
};

// What kernels count for the host.
#define INCOMPLETE 0  // updates that found no room
#define GAPPED 1      // vertices with empty places between their edges
#define EFFECTIVE 2   // updates that took effect
#define TWINS 3       // edges that were taken back because their twin was there

// For all kernels below:
// records:  for each vertex its record.
// used:     how many places of each vertex are taken, from the first on.
// capacity: how many there are.
// marks:    1 for the vertices in `gapped`, else 0.
// figures:  see above; the host sets them to 0.
// items:    what the grid works on: vertices or updates; `group` of them for each block.

// The first of the items that a block works on, and the one behind its last.
__device__ int first_item(int group) { return blockIdx.x * group; }
__device__ int last_item(int group, int items) { return min(first_item(group) + group, items); }

// Whether one of the places from `begin` to before `end` holds `destination`. All lanes
// of the warp call together.
__device__ bool stands(const int *edges, int begin, int end, int destination) {
  bool found = false;
  #pragma unroll 1
  for (int first = begin; first < end && !found; first += warpSize) {
    int place = first + threadIdx.x;
    bool same = place < end && edges[place] == destination;
    found = __any_sync(EVERY_LANE, same);
  }
  return found;
}

// Says that v has an empty place between its edges.
__device__ void note_gap(int v, int *marks, int *gapped, int *figures) {
  if (atomicExch(&marks[v], 1) == 0) gapped[atomicAdd(&figures[GAPPED], 1)] = v;
}

// Takes the next place of a vertex; -1 where it has none left.
__device__ int take_place(int *used, int capacity) {
  int place = atomicAdd(used, 1);
  if (place < capacity) return place;
  atomicSub(used, 1);
  return -1;
}

// The graph comes as CSR; each vertex's memory is allocated.
// memory: where the columns of each vertex begin, one behind the other.
// values: for each column beside the destinations one value for each edge.
// items:  all vertices.
extern "C" __global__ void custinger_initialise(Record *const *records, int *const *memory,
                                                const int *capacity, int *used,
                                                const offset_t *offsets,
                                                const int *neighbours, const int *values,
                                                int items, int group) {
  long long edges = offsets[items];
  int end = last_item(group, items);
  #pragma unroll 1
  for (int v = first_item(group); v < end; v++) {
    int *own = memory[v];
    int places = capacity[v];
    offset_t begin = offsets[v];
    int degree = offsets[v + 1] - begin;
    #pragma unroll 1
    for (int place = threadIdx.x; place < places; place += warpSize) {
      own[place] = place < degree ? neighbours[begin + place] : EMPTY;
    }
    #pragma unroll 1
    for (int column = 1; column < EDGE_WORDS; column++) {
      #pragma unroll 1
      for (int place = threadIdx.x; place < degree; place += warpSize) {
        own[(long long)column * places + place] =
            values[(column - 1) * edges + begin + place];
      }
    }
    if (threadIdx.x == 0) {
      #pragma unroll 1
      for (int column = 0; column < EDGE_WORDS; column++) {
        records[v]->column[column] = own + (long long)column * places;
      }
      used[v] = degree;
    }
  }
}

// Both sweeps of an insertion.
// values:     for each column beside the destinations one value for each of `updates`.
// listing:    whether to insert the updates in `listed` only, or all.
// incomplete: receives the updates that found no room.
// gapped:     receives the vertices that twins were taken from.
extern "C" __global__ void custinger_insert(Record *const *records, int *used,
                                            const int *capacity, const int *sources,
                                            const int *destinations, const int *values,
                                            int updates, int listing, const int *listed,
                                            int *incomplete, int *gapped, int *marks,
                                            int *figures, int items, int group) {
  int lane = threadIdx.x;
  int appended = 0;
  int twins = 0;
  int end = last_item(group, items);
  #pragma unroll 1
  for (int i = first_item(group); i < end; i++) {
    int update = listing ? listed[i] : i;
    int source = sources[update];
    int destination = destinations[update];
    int places = capacity[source];
    int *edges = records[source]->column[0];
    int before = 0;
    // While warps find out that there is no room, `used` is more than there is.
    if (lane == 0) before = min(*(volatile int *)&used[source], places);
    before = __shfl_sync(EVERY_LANE, before, 0);
    bool known = stands(edges, 0, before, destination);
    int place = -1;
    if (lane == 0 && !known) {
      place = take_place(&used[source], places);
      if (place < 0) incomplete[atomicAdd(&figures[INCOMPLETE], 1)] = update;
    }
    place = __shfl_sync(EVERY_LANE, place, 0);
    if (place >= 0) {
      if (lane == 0) {
        edges[place] = destination;
        #pragma unroll 1
        for (int column = 1; column < EDGE_WORDS; column++) {
          records[source]->column[column][place] =
              values[(long long)(column - 1) * updates + update];
        }
      }
      __syncwarp();
      // Of twins that see each other the one in the first place stays.
      bool twin = stands(edges, before, place, destination);
      if (lane == 0 && twin) {
        edges[place] = EMPTY;
        note_gap(source, marks, gapped, figures);
      }
      twins += twin;
      appended += !twin;
    }
    __syncwarp();  // the next search may read what this lane has written
  }
  if (lane == 0 && appended > 0) atomicAdd(&figures[EFFECTIVE], appended);
  if (lane == 0 && twins > 0) atomicAdd(&figures[TWINS], twins);
}

// Gives vertices their new memory, and copies their edges to it.
// moved:        these vertices.
// new_memory:   for each of them where its columns are to begin,
// new_capacity: and how many places there are.
extern "C" __global__ void custinger_move(Record *const *records, int **memory, int *capacity,
                                          const int *used, const int *moved,
                                          int *const *new_memory, const int *new_capacity,
                                          int items, int group) {
  int end = last_item(group, items);
  #pragma unroll 1
  for (int i = first_item(group); i < end; i++) {
    int v = moved[i];
    int *own = new_memory[i];
    int places = new_capacity[i];
    int size = used[v];
    #pragma unroll 1
    for (int column = 0; column < EDGE_WORDS; column++) {
      const int *old = records[v]->column[column];
      #pragma unroll 1
      for (int place = threadIdx.x; place < size; place += warpSize) {
        own[(long long)column * places + place] = old[place];
      }
    }
    #pragma unroll 1
    for (int place = size + threadIdx.x; place < places; place += warpSize) {
      own[place] = EMPTY;
    }
    __syncwarp();
    if (threadIdx.x == 0) {
      #pragma unroll 1
      for (int column = 0; column < EDGE_WORDS; column++) {
        records[v]->column[column] = own + (long long)column * places;
      }
      memory[v] = own;
      capacity[v] = places;
    }
  }
}

// First launch of a deletion: edges become empty places.
// gapped: receives the vertices that have such places now.
extern "C" __global__ void custinger_delete(Record *const *records, const int *used,
                                            const int *sources, const int *destinations,
                                            int *gapped, int *marks, int *figures, int items,
                                            int group) {
  int lane = threadIdx.x;
  int deleted = 0;
  int end = last_item(group, items);
  #pragma unroll 1
  for (int i = first_item(group); i < end; i++) {
    int source = sources[i];
    int destination = destinations[i];
    int size = used[source];
    int *edges = records[source]->column[0];
    bool gone = false;
    #pragma unroll 1
    for (int first = 0; first < size && !gone; first += warpSize) {
      int place = first + lane;
      bool same = place < size && *(volatile int *)&edges[place] == destination;
      unsigned found = __ballot_sync(EVERY_LANE, same);
      // Twins that an insertion has left lie in several places: one update takes one.
      #pragma unroll 1
      while (found != 0 && !gone) {
        int finder = __ffs(found) - 1;
        int swapped = 0;
        if (lane == finder) swapped = atomicCAS(&edges[place], destination, EMPTY) == destination;
        gone = __shfl_sync(EVERY_LANE, swapped, finder);
        found &= found - 1;
      }
    }
    if (lane == 0 && gone) note_gap(source, marks, gapped, figures);
    deleted += gone;
  }
  if (lane == 0 && deleted > 0) atomicAdd(&figures[EFFECTIVE], deleted);
}

// Moves one column's values of a warp's places to the places that they get. Those are in front
// of all that the next turn reads.
__device__ void close_column(int *values, int from, int to, bool live) {
  int value = live ? values[from] : 0;
  __syncwarp();  // all have read before one writes
  if (live) values[to] = value;
}

// Behind a sweep or a deletion: edges close up, and the places behind them are empty.
// gapped: the vertices.
extern "C" __global__ void custinger_close(Record *const *records, int *used,
                                           const int *gapped, int *marks, int items,
                                           int group) {
  int lane = threadIdx.x;
  int end = last_item(group, items);
  #pragma unroll 1
  for (int i = first_item(group); i < end; i++) {
    int v = gapped[i];
    int size = used[v];
    int *edges = records[v]->column[0];
    int kept = 0;  // edges in front of this turn's places
    #pragma unroll 1
    for (int first = 0; first < size; first += warpSize) {
      int place = first + lane;
      bool live = place < size && edges[place] != EMPTY;
      unsigned lanes = __ballot_sync(EVERY_LANE, live);
      int to = kept + __popc(lanes & ((1u << lane) - 1));
      bool moves = __any_sync(EVERY_LANE, live && to != place);
      if (moves) {
        #pragma unroll 1
        for (int column = 0; column < EDGE_WORDS; column++) {
          close_column(records[v]->column[column], place, to, live);
        }
      }
      kept += __popc(lanes);
    }
    __syncwarp();  // all have read, `used` as well
    #pragma unroll 1
    for (int place = kept + lane; place < size; place += warpSize) edges[place] = EMPTY;
    if (lane == 0) {
      used[v] = kept;
      marks[v] = 0;
    }
  }
}

// Copies adjacencies to one array, for the host.
// lengths: how many places of each vertex.
// starts:  where they go.
extern "C" __global__ void custinger_gather(Record *const *records, const int *lengths,
                                            const long long *starts, int column,
                                            int *gathered, int items, int group) {
  int end = last_item(group, items);
  #pragma unroll 1
  for (int v = first_item(group); v < end; v++) {
    int size = lengths[v];
    const int *values = records[v]->column[column];
    #pragma unroll 1
    for (int place = threadIdx.x; place < size; place += warpSize) {
      gathered[starts[v] + place] = values[place];
    }
  }
}

// Copies the pointers of all records, for the host's check.
extern "C" __global__ void custinger_pointers(Record *const *records,
                                              unsigned long long *pointers, int items,
                                              int group) {
  int end = last_item(group, items);
  #pragma unroll 1
  for (int v = first_item(group); v < end; v++) {
    #pragma unroll 1
    for (int column = threadIdx.x; column < EDGE_WORDS; column += warpSize) {
      pointers[(long long)v * EDGE_WORDS + column] =
          (unsigned long long)records[v]->column[column];
    }
  }
}
