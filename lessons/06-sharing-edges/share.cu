// Three ways to share out the edges of a warp's vertices, and the scans that they need.
//
// Lane l has the vertex at place l of the frontier: its neighbours begin at
// neighbours[begin[l]], and it has degree[l] of them. All edges count as looked at when
// `seen` is 1 for each neighbour. Launched with a single warp.

#include "block_scan.cuh"
#include "warp_search.cuh"

// A lane for each vertex: it walks over all edges of it.
extern "C" __global__ void by_vertex(const int *begin, const int *degree,
                                     const int *neighbours, int *seen) {
  int e = begin[threadIdx.x];
  int end = e + degree[threadIdx.x];
  for (; e < end; e++) seen[neighbours[e]] = 1;
}

// Each lane writes down where its edges are, behind those of the lanes before it. Then
// all lanes go over what is written there.
extern "C" __global__ void by_scan(const int *begin, const int *degree,
                                   const int *neighbours, int *seen) {
  __shared__ int positions[2048];
  int own = degree[threadIdx.x];
  int upto = warp_inclusive_sum(own);
  int total = __shfl_sync(EVERY_LANE, upto, warpSize - 1);
  int first = begin[threadIdx.x];
  for (int k = 0; k < own; k++) positions[upto - own + k] = first + k;
  __syncwarp();
  for (int e = threadIdx.x; e < total; e += warpSize) seen[neighbours[positions[e]]] = 1;
}

// Nothing is written down: each lane looks up whose edge it has.
extern "C" __global__ void by_search(const int *begin, const int *degree,
                                     const int *neighbours, int *seen) {
  int own = degree[threadIdx.x];
  int upto = warp_inclusive_sum(own);
  int total = __shfl_sync(EVERY_LANE, upto, warpSize - 1);
  int before = upto - own;
  int first = begin[threadIdx.x];
  for (int turn = 0; turn < total; turn += warpSize) {
    int e = turn + threadIdx.x;
    int owner = warp_search(before, min(e, total - 1));  // all lanes must call
    int position = __shfl_sync(EVERY_LANE, first - before, owner) + e;
    if (e < total) seen[neighbours[position]] = 1;
  }
}

// place[t]: how many edges the lanes before lane t have.
extern "C" __global__ void places(const int *degree, int *place) {
  int own = degree[threadIdx.x];
  place[threadIdx.x] = warp_inclusive_sum(own) - own;
}

// The warp's scan, left behind the turn with distance `last`.
extern "C" __global__ void first_turns(const int *in, int last, int *out) {
  int sum = in[threadIdx.x];
  for (int d = 1; d <= last; d *= 2) {
    int left = __shfl_up_sync(EVERY_LANE, sum, d);
    if (threadIdx.x >= d) sum += left;
  }
  out[threadIdx.x] = sum;
}

// A block's scan, an element for each thread.
extern "C" __global__ void block_places(const int *degree, int *place) {
  __shared__ int warp_totals[MOST_WARPS];
  place[threadIdx.x] = block_exclusive_sum(degree[threadIdx.x], warp_totals);
}

// owner[0]: the place of the vertex that has edge e.
extern "C" __global__ void whose(const int *before, int e, int *owner) {
  int found = warp_search(before[threadIdx.x], e);
  if (threadIdx.x == 0) owner[0] = found;
}
