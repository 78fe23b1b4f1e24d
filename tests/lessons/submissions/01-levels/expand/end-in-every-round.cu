// wrong: loads the end of the list in every round
// loses: limit
// says: merged_load_requests is

// status-array: one level of a breadth-first search, and no queue.
//
// There is a thread for each vertex. The array `level` says all that there is to
// know: who is in the frontier, and who was not visited yet.

#include "csr.cuh"

// The graph, in compressed sparse rows:
// offsets[v]:   where the list of v begins in `neighbours`.
// neighbours:   the lists of all vertices, one behind the other.
//
// level[v]:     distance from the source, -1 where not visited yet.
// depth:        the level of the frontier that this launch expands.
// found:        is 0 before the launch; 1 after it if there is a next frontier.
extern "C" __global__ void status_array(const offset_t *offsets, const int *neighbours,
                                        int *level, int vertices, int depth,
                                        int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;

  // Threads without a vertex, or with one that is not in the frontier, are done.
  if (v >= vertices) return;
  if (level[v] != depth) return;

  // The neighbours that were not visited yet are the next frontier.
  bool discovered = false;
  offset_t end = offsets[v + 1];
  for (offset_t e = offsets[v]; e < offsets[v + 1]; e++) {
    int w = neighbours[e];
    // Two threads may both see -1 here. Both then write the same number.
    if (level[w] < 0) {
      level[w] = depth + 1;
      discovered = true;
    }
  }

  // The host goes on as long as somebody says so.
  if (discovered) *found = 1;
}
