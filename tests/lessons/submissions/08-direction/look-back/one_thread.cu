// wrong: thread 0 does all
// loses: limit
// says: work.maximum

#include "csr.cuh"

extern "C" __global__ void look_back(const offset_t *offsets, const int *neighbours, int *level,
                                     int *parent, int vertices, int depth, int *found) {
  if (blockIdx.x * blockDim.x + threadIdx.x > 0) return;
  for (int v = 0; v < vertices; v++) {
    if (level[v] >= 0) continue;
    for (offset_t e = offsets[v]; e < offsets[v + 1]; e++) {
      if (level[neighbours[e]] == depth) {
        level[v] = depth + 1;
        parent[v] = neighbours[e];
        *found = 1;
        break;
      }
    }
  }
}
