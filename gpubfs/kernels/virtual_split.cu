// virtual-split: a thread for each piece of at most DEGREE_BOUND edges of a vertex.
//
// Every vertex is split into as many virtual vertices as its edges need, and the
// graph stays as it is: a table says of each virtual vertex whose it is, and which
// of the vertex's pieces. In each level all virtual vertices ask whether their
// vertex is in the frontier, so that no thread looks at more than DEGREE_BOUND
// edges, whatever the degrees are.

#include "csr.cuh"

// The most edges of a virtual vertex.
#ifndef DEGREE_BOUND
#define DEGREE_BOUND 8
#endif

// Whether the edges of a vertex are dealt out to its virtual vertices one by one,
// so that those of neighbouring threads lie side by side, or in runs.
#ifndef COALESCED
#define COALESCED 1
#endif

// owner[i]: the vertex whose piece virtual vertex i is.
// piece[i]: which one, from 0; those of a vertex stand behind each other.
// level[v]: distance from the source, -1 where not visited yet.
// depth:    distance of the frontier that this launch expands.
// found:    set to 1 if there is a next frontier; the host resets it.
extern "C" __global__ void virtual_split(const offset_t *offsets, const int *neighbours,
                                         int *level, const int *owner, const int *piece,
                                         int virtual_vertices, int depth, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= virtual_vertices) return;
  int u = owner[i];
  if (level[u] != depth) return;

  offset_t end = offsets[u + 1];
  offset_t first = offsets[u];
#if COALESCED
  offset_t pieces = (end - first + DEGREE_BOUND - 1) / DEGREE_BOUND;
  offset_t stride = pieces;
  first += piece[i];
#else
  offset_t stride = 1;
  first += (offset_t)piece[i] * DEGREE_BOUND;
  if (end - first > DEGREE_BOUND) end = first + DEGREE_BOUND;
#endif

  bool discovered = false;
  #pragma unroll 1
  for (offset_t e = first; e < end; e += stride) {
    int w = neighbours[e];
    int status = level[w];
    // As in status_array.cu: a vertex that was found in this same launch is written
    // again, so that it does not matter which thread comes first.
    if (status < 0 || status > depth) {
      level[w] = depth + 1;
      discovered = true;
    }
  }
  // Lanes with fewer edges wait here, and all writers of the flag write 1.
  __syncwarp();
  if (discovered) *found = 1;
}
