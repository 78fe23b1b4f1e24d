// incremental-bfs: the levels of a search are repaired after edges came and went.
//
// First what deletions have made wrong is found, from the source outwards: a vertex
// without a neighbour one nearer loses its level. Then these vertices, and the heads of
// new edges, look for a level among their neighbours, and what is lowered is handed on
// as in a search, from the lowest level outwards. All else is not looked at.

#include "level_buckets.cuh"
#include "visit.cuh"

// level[v]: distance from the source, FAR (-1 on the host) where it is not reached.
// mark[v]:  SUSPECT, if v was on a shortest path that has lost an edge;
//           SEED, if its level must be looked for. 0 otherwise.
#define SUSPECT 1
#define SEED 2

// What the lanes of a virtual warp vote with.
__device__ __forceinline__ unsigned own_virtual_warp() {
  int first = threadIdx.x % warpSize / WIDTH * WIDTH;
  return (EVERY_LANE >> (32 - WIDTH)) << first;  // 32: bits of a mask, whatever a warp has
}

// Vertex i of a level: those that the level before enqueued, then those of the bucket.
__device__ __forceinline__ int of_level(const int *queue, int queued, const int *sorted,
                                        int position, int i) {
  return i < queued ? queue[i] : sorted[position + i - queued];
}

// v is a suspect if the edge from u was the last of a shortest path. Without the first
// test an edge from where nobody comes would make a suspect of the source: FAR + 1 is 0.
__device__ void suspect_head(Buckets buckets, const unsigned *level, int *mark, int u, int v) {
  if (level[u] == FAR || level[v] != level[u] + 1) return;
  if (atomicOr(&mark[v], SUSPECT) == 0) list(buckets, v, level[v]);
}

// A thread for each deleted edge, in both directions unless the graph is directed.
extern "C" __global__ void list_suspects(const int *tails, const int *heads, int edges,
                                         int directed, const unsigned *level, int *mark,
                                         int *listed, int *listed_depth, int *ends, int *span,
                                         int *state) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= edges) return;
  Buckets buckets = {listed, listed_depth, ends, span, state};
  suspect_head(buckets, level, mark, tails[i], heads[i]);
  if (!directed) suspect_head(buckets, level, mark, heads[i], tails[i]);
}

// Whether a neighbour from which an edge leads to v has the level `depth` - 1. The
// lanes of a virtual warp look together, and all of them know.
__device__ __forceinline__ bool has_parent(const offset_t *offsets, const int *neighbours,
                                           const unsigned *level, int v, unsigned depth) {
  unsigned lanes = own_virtual_warp();
  offset_t end = offsets[v + 1];
  #pragma unroll 1
  for (offset_t first = offsets[v]; first < end; first += WIDTH) {
    offset_t e = first + virtual_lane();
    bool parent = e < end && level[neighbours[e]] == depth - 1;
    if (__any_sync(lanes, parent)) return true;
  }
  return false;
}

// A virtual warp for each suspect of level `depth`. All levels before are decided, so
// that a neighbour of level depth - 1 has a path of that length. Who has none loses its
// level, and those that may have come through it are suspects of the next level.
//
// in_offsets, in_neighbours: from where edges lead to a vertex.
// queue, queued:  suspects of this level whose parents have lost theirs.
// sorted:         from `position` on, the `size` suspects by deleted edges.
// next:           receives suspects of the next level; how many, state[QUEUED] says.
// seeds:          receives who loses its level.
extern "C" __global__ void decide_suspects(
    const offset_t *in_offsets, const int *in_neighbours, const offset_t *offsets,
    const int *neighbours, unsigned *level, int *mark, int *seeds, const int *queue, int queued,
    const int *sorted, const int *sorted_depth, const int *ends, int position, int size,
    int *next, int *state, int depth) {
  int i = virtual_warp();
  int lane = virtual_lane();
  if (i == 0 && lane == 0) look_ahead(sorted_depth, position + size, ends, state);
  if (i >= queued + size) return;
  int v = of_level(queue, queued, sorted, position, i);
  if (has_parent(in_offsets, in_neighbours, level, v, depth)) return;
  if (lane == 0) {
    level[v] = FAR;
    mark[v] = SUSPECT | SEED;
    seeds[atomicAdd(&state[SEEDS], 1)] = v;
  }
  unsigned below = depth + 1;
  offset_t end = offsets[v + 1];
  #pragma unroll 1
  for (offset_t e = offsets[v] + lane; e < end; e += WIDTH) {
    int w = neighbours[e];
    if (level[w] == below && atomicOr(&mark[w], SUSPECT) == 0) {
      next[atomicAdd(&state[QUEUED], 1)] = w;
    }
  }
}

// v must look for its level if the edge from u leads there on a shorter path.
__device__ void seed_head(const unsigned *level, int *mark, int *seeds, int *state, int u,
                          int v) {
  if (level[u] == FAR || level[u] + 1 >= level[v]) return;
  int before = atomicOr(&mark[v], SEED);
  if (before & SEED) return;
  if (before == 0) atomicAdd(&state[TOUCHED_LATE], 1);
  seeds[atomicAdd(&state[SEEDS], 1)] = v;
}

// A thread for each inserted edge, in both directions unless the graph is directed.
extern "C" __global__ void seed_heads(const int *tails, const int *heads, int edges,
                                      int directed, const unsigned *level, int *mark,
                                      int *seeds, int *state) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= edges) return;
  seed_head(level, mark, seeds, state, tails[i], heads[i]);
  if (!directed) seed_head(level, mark, seeds, state, heads[i], tails[i]);
}

// A virtual warp for each seed: its level is one more than the least of its neighbours'
// now. It is listed with that, and does not have it before all seeds have looked.
extern "C" __global__ void list_seeds(const offset_t *in_offsets, const int *in_neighbours,
                                      const unsigned *level, const int *seeds, int *listed,
                                      int *listed_depth, int *ends, int *span, int *state) {
  int i = virtual_warp();
  if (i >= state[SEEDS]) return;
  int v = seeds[i];
  unsigned least = FAR;
  offset_t end = in_offsets[v + 1];
  #pragma unroll 1
  for (offset_t e = in_offsets[v] + virtual_lane(); e < end; e += WIDTH) {
    least = min(least, level[in_neighbours[e]]);
  }
  unsigned lanes = own_virtual_warp();
  for (int d = 1; d < WIDTH; d *= 2) {
    least = min(least, __shfl_down_sync(lanes, least, d, WIDTH));
  }
  // FAR is no distance: one more of it would be none at all.
  if (virtual_lane() != 0 || least == FAR || least + 1 >= level[v]) return;
  Buckets buckets = {listed, listed_depth, ends, span, state};
  list(buckets, v, least + 1);
}

// A virtual warp for each vertex whose level became `depth`; none of them can become
// less any more. Neighbours that are further than one more are lowered, and follow.
//
// queue, queued:  vertices that the level before has lowered to this one.
// sorted:         from `position` on, the `size` seeds of this level.
// next:           receives what is lowered to the next level.
extern "C" __global__ void relax(const offset_t *offsets, const int *neighbours,
                                 unsigned *level, const int *mark, const int *queue,
                                 int queued, const int *sorted, const int *sorted_depth,
                                 const int *ends, int position, int size, int *next,
                                 int *state, int depth) {
  int i = virtual_warp();
  int lane = virtual_lane();
  if (i == 0 && lane == 0) look_ahead(sorted_depth, position + size, ends, state);
  if (i >= queued + size) return;
  int v = of_level(queue, queued, sorted, position, i);
  // A seed that was lowered since it looked has been expanded at its lower level.
  if (level[v] != depth) return;
  unsigned below = depth + 1;
  offset_t end = offsets[v + 1];
  #pragma unroll 1
  for (offset_t e = offsets[v] + lane; e < end; e += WIDTH) {
    int w = neighbours[e];
    // The plain read spares the atomic; of several that lower w, one was the first.
    if (level[w] > below && atomicMin(&level[w], below) > below) {
      if (mark[w] == 0) atomicAdd(&state[TOUCHED_LATE], 1);
      next[atomicAdd(&state[QUEUED], 1)] = w;
    }
  }
}
