// wrong: the first block does the whole search in one launch, whatever depth says
// loses: result
// says: but no launch expands it

#include "csr.cuh"

extern "C" __global__ void status_array(const offset_t *offsets, const int *neighbours,
                                        int *level, int vertices, int depth,
                                        int *found) {
  if (blockIdx.x > 0) return;
  for (int d = 0;; d++) {
    bool discovered = false;
    for (int v = threadIdx.x; v < vertices; v += blockDim.x) {
      if (level[v] != d) continue;
      offset_t end = offsets[v + 1];
      for (offset_t e = offsets[v]; e < end; e++) {
        int w = neighbours[e];
        if (level[w] < 0) {
          level[w] = d + 1;
          discovered = true;
        }
      }
    }
    if (!__syncthreads_or(discovered)) return;
  }
}
