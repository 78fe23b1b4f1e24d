// right: a function that returns the parent, or nobody

#include "csr.cuh"

__device__ int first_parent(const offset_t *offsets, const int *neighbours, const int *level, int v,
                            int depth) {
  offset_t end = offsets[v + 1];
  #pragma unroll 1
  for (offset_t e = offsets[v]; e < end; e++) {
    if (level[neighbours[e]] == depth) return neighbours[e];
  }
  return -1;
}

extern "C" __global__ void look_back(const offset_t *offsets, const int *neighbours, int *level,
                                     int *parent, int vertices, int depth, int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] != -1) return;
  int own = first_parent(offsets, neighbours, level, v, depth);
  if (own == -1) return;
  parent[v] = own;
  level[v] = level[own] + 1;
  found[0] = 1;
}
