// wrong: not bottom-up: who is in the frontier looks for children, and of several the first one wins
// loses: limit
// says: the result is right, but

#include "csr.cuh"

extern "C" __global__ void look_back(const offset_t *offsets, const int *neighbours, int *level,
                                     int *parent, int vertices, int depth, int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] != depth) return;
  for (offset_t e = offsets[v]; e < offsets[v + 1]; e++) {
    int w = neighbours[e];
    if (level[w] >= 0 && level[w] <= depth) continue;
    level[w] = depth + 1;
    *found = 1;
    for (offset_t f = offsets[w];; f++) {
      if (level[neighbours[f]] == depth) {
        parent[w] = neighbours[f];
        break;
      }
    }
  }
}
