// status-array: one thread per vertex and level, and no queue.
//
// Every thread asks whether its vertex is in the frontier; most answers are no,
// and that is the cost: V checks in each level, however small the frontier is.

#include "csr.cuh"

// level[v]: distance from the source, -1 where not visited yet.
// depth:    distance of the frontier that this launch expands.
// found:    set to 1 if there is a next frontier; the host resets it.
extern "C" __global__ void status_array(const offset_t *offsets, const int *neighbours,
                                        int *level, int vertices, int depth,
                                        int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  if (level[v] != depth) return;

  bool discovered = false;
  offset_t end = offsets[v + 1];
  #pragma unroll 1
  for (offset_t e = offsets[v]; e < end; e++) {
    int w = neighbours[e];
    int status = level[w];
    // A vertex that another thread found in this same launch counts as not
    // visited. It is then written twice with the same value, which is harmless
    // and needs no atomic, and how many writes there are does not depend on
    // which thread came first.
    if (status < 0 || status > depth) {
      level[w] = depth + 1;
      discovered = true;
    }
  }
  // All writers of the flag write 1.
  if (discovered) *found = 1;
}
