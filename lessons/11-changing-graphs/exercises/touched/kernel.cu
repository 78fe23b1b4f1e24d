// Two ways to repair levels, a thread for each vertex and a launch for each level, from the
// source outwards. Who looks at its edges is touched, and counts itself: there are no other
// atomics, so that atomic_lanes is the number of touched vertices.
//
// level[v]: distance from the source, -1 where not reached or where it was lost.

#include "csr.cuh"

// After deletions: suspect[v] is 1 for heads of deleted edges that led one level further.
extern "C" __global__ void forget(const offset_t *offsets, const int *neighbours, int *level,
                                  int *suspect, int vertices, int depth, int *touched) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] != depth || !suspect[v]) return;
  atomicAdd(touched, 1);
  bool parent = false;
  for (offset_t e = offsets[v]; e < offsets[v + 1]; e++) {
    if (level[neighbours[e]] == depth - 1) parent = true;
  }
  if (parent) return;
  level[v] = -1;
  for (offset_t e = offsets[v]; e < offsets[v + 1]; e++) {
    int w = neighbours[e];
    if (level[w] == depth + 1) suspect[w] = 1;
  }
}

// After insertions: heads of new edges have their new levels already, and changed[v] is 1 for
// those whose level that has made less.
extern "C" __global__ void lower(const offset_t *offsets, const int *neighbours, int *level,
                                 int *changed, int vertices, int depth, int *touched) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] != depth || !changed[v]) return;
  atomicAdd(touched, 1);
  for (offset_t e = offsets[v]; e < offsets[v + 1]; e++) {
    int w = neighbours[e];
    if (level[w] > depth + 1) {
      level[w] = depth + 1;
      changed[w] = 1;
    }
  }
}
