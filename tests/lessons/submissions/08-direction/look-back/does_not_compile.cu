// wrong: does not compile: Python's and
// loses: read
// says: an operator is missing

#include "csr.cuh"

extern "C" __global__ void look_back(const offset_t *offsets, const int *neighbours, int *level,
                                     int *parent, int vertices, int depth, int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < vertices && level[v] < 0) {
    offset_t e = offsets[v];
    while (e < offsets[v + 1] and_also level[neighbours[e]] != depth) e++;
  }
}
