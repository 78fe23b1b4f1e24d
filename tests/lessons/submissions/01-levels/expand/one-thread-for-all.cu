// wrong: one thread looks at all vertices
// loses: limit
// says: the result is right, but merged_load_requests is

#include "csr.cuh"

extern "C" __global__ void status_array(const offset_t *offsets, const int *neighbours,
                                        int *level, int vertices, int depth,
                                        int *found) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  for (int v = 0; v < vertices; v++) {

  if (level[v] != depth) continue;

  bool discovered = false;
  offset_t end = offsets[v + 1];
  for (offset_t e = offsets[v]; e < end; e++) {
    int w = neighbours[e];
    if (level[w] < 0) {
      level[w] = depth + 1;
      discovered = true;
    }
  }

  if (discovered) *found = 1;
}
}
