// wrong: no early exit: goes on when it has found its parent
// loses: limit
// says: the result is right, but

#include "csr.cuh"

extern "C" __global__ void look_back(const offset_t *offsets, const int *neighbours, int *level,
                                     int *parent, int vertices, int depth, int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] >= 0) return;
  int own = -1;
  offset_t end = offsets[v + 1];
  for (offset_t e = offsets[v]; e < end; e++) {
    int u = neighbours[e];
    if (level[u] == depth && own < 0) own = u;
  }
  if (own >= 0) {
    level[v] = depth + 1;
    parent[v] = own;
    *found = 1;
  }
}
