// status-array, with something wrong.
//
// On a path every vertex gets its level. On other graphs the search may end while
// vertices are still to be found, and in another order of warps it may not.

#include "csr.cuh"

// level[v]: distance from the source, -1 where not visited yet.
// depth:    the level of the frontier that this launch expands.
// found:    the host sets it to 0, launches, and goes on unless it is 0 afterwards.
extern "C" __global__ void status_array(const offset_t *offsets, const int *neighbours,
                                        int *level, int vertices, int depth,
                                        int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  if (level[v] != depth) return;

  bool discovered = false;
  offset_t end = offsets[v + 1];
  for (offset_t e = offsets[v]; e < end; e++) {
    int w = neighbours[e];
    if (level[w] < 0) {
      level[w] = depth + 1;
      discovered = true;
    }
  }

  // Every thread of the frontier reports to the host whether it found a vertex.
  // BEGIN SOLUTION
  //| *found = discovered;
  // All that write, write 1; nobody can undo what another one has reported.
  if (discovered) *found = 1;
  // END SOLUTION
}
