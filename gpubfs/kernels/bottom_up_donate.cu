// bottom-up-donate: lanes that are done help the last one of their warp that is not.
//
// Vertices are fetched as by bottom-up-warp. After every few neighbours the lanes vote;
// once one alone still looks, it tells the others where it is, and all look at its
// neighbours together, each at every so many lanes' one.

#ifndef BOTTOM_UP_DONATE_CU
#define BOTTOM_UP_DONATE_CU

#include "fetch.cuh"
#include "parent_search.cuh"
#include "top_down.cuh"

// Neighbours that a lane looks at between two votes.
#ifndef BETWEEN_VOTES
#define BETWEEN_VOTES 5
#endif

// The edges of one lane's vertex that are left, looked at by all lanes of the warp:
// what is known of its neighbours afterwards. All lanes must call, and all get the same.
// donor: the lane, whose `left` and `seen` count.
__device__ __forceinline__ Seen look_together(const int *neighbours, int *level, int donor,
                                              Adjacency left, Seen seen, int next_depth) {
  int v = __shfl_sync(EVERY_LANE, left.vertex, donor);
  offset_t begin = __shfl_sync(EVERY_LANE, left.begin, donor);
  offset_t end = __shfl_sync(EVERY_LANE, left.end, donor);
  bool sibling = threadIdx.x % warpSize == donor && seen.sibling;
  bool parent = false;  // the donor has none as yet, or it would not look any more
  #pragma unroll 1
  for (offset_t e = begin; e < end && !parent; e += warpSize) {
    bool nearer = false;
    offset_t own = e + threadIdx.x % warpSize;
    if (own < end) {
      int found = level_of(level, neighbours[own]);
      nearer = found == next_depth - 1;
      sibling = sibling || found == next_depth;
    }
    parent = __any_sync(EVERY_LANE, nearer);
  }
  // Several lanes may have found a parent, and one of all stores.
  if (parent && threadIdx.x % warpSize == donor) set_level(level, v, next_depth);
  Seen all;
  all.parent = parent;
  all.sibling = __any_sync(EVERY_LANE, sibling);
  return all;
}

// The vertices of a warp, one for each lane that has one.
__device__ __forceinline__ Tally search_parents(const int *neighbours, int *level,
                                                Adjacency edges, int next_depth, Tally tally) {
  Seen seen = {false, false};
  Adjacency left = edges;
  unsigned every = EVERY_LANE >> (32 - warpSize);  // a bit for each lane that there is
  unsigned done = __ballot_sync(EVERY_LANE, left.begin >= left.end);
  #pragma unroll 1
  while (done != every) {
    #pragma unroll 1
    for (int k = 0; k < BETWEEN_VOTES && left.begin < left.end && !seen.parent; k++) {
      seen = look_at(neighbours, level, left.vertex, left.begin, seen, next_depth);
      left.begin++;
    }
    __syncwarp();
    done = __ballot_sync(EVERY_LANE, left.begin >= left.end || seen.parent);
    if (__popc(done) == warpSize - 1) {
      int donor = __ffs(~done) - 1;
      Seen all = look_together(neighbours, level, donor, left, seen, next_depth);
      if (threadIdx.x % warpSize == donor) seen = all;
      done = every;
    }
  }
  return settle(level, edges.vertex, edges.end - edges.begin, seen, next_depth, tally);
}

// taken: as in bottom_up_warp.cu.
extern "C" __global__ void bottom_up_donate(const offset_t *offsets, const int *neighbours,
                                            int *level, const int *queue, int queue_size,
                                            int next_depth, unsigned long long *found,
                                            int *taken) {
  Tally tally = nothing_found();
  int first = first_of_warp();
  #pragma unroll 1
  while (first < queue_size) {
    int u = entry(queue, queue_size, first + threadIdx.x % warpSize);
    Adjacency edges = adjacency_of(offsets, u);
    tally = search_parents(neighbours, level, edges, next_depth, tally);
    first = fetch_for_warp(taken, queue_size);
  }
  report(tally, found);
}

#endif
