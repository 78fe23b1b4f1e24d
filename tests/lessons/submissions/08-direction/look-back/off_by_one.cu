// wrong: leaves out the last neighbour
// loses: result
// says: level[

#include "csr.cuh"

extern "C" __global__ void look_back(const offset_t *offsets, const int *neighbours, int *level,
                                     int *parent, int vertices, int depth, int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] >= 0) return;
  offset_t end = offsets[v + 1] - 1;
  for (offset_t e = offsets[v]; e < end; e++) {
    int u = neighbours[e];
    if (level[u] == depth) {
      level[v] = depth + 1;
      parent[v] = u;
      *found = 1;
      break;
    }
  }
}
