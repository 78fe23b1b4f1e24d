// wrong: who finds nobody takes the flag back
// loses: result
// says: found

#include "csr.cuh"

extern "C" __global__ void look_back(const offset_t *offsets, const int *neighbours, int *level,
                                     int *parent, int vertices, int depth, int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] >= 0) return;
  bool discovered = false;
  offset_t end = offsets[v + 1];
  for (offset_t e = offsets[v]; e < end && !discovered; e++) {
    int u = neighbours[e];
    if (level[u] == depth) {
      level[v] = depth + 1;
      parent[v] = u;
      discovered = true;
    }
  }
  *found = discovered;
}
