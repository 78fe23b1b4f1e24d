// right: a loop that ends at the parent, and writes behind it

#include "csr.cuh"

extern "C" __global__ void look_back(const offset_t *offsets, const int *neighbours, int *level,
                                     int *parent, int vertices, int depth, int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < vertices && level[v] < 0) {
    offset_t e = offsets[v];
    while (e < offsets[v + 1] && level[neighbours[e]] != depth) e++;
    if (e < offsets[v + 1]) {
      level[v] = depth + 1;
      parent[v] = neighbours[e];
      *found = 1;
    }
  }
}
