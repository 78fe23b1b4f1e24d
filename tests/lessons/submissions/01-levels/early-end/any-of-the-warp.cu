// wrong: asks the warp, and the last warp wins: lockstep hides it
// loses: schedule
// says: right in lockstep, but not in the order

#include "csr.cuh"

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

  *found = __any_sync(__activemask(), discovered);
}
