// wrong: hard-coded parents of the graph that is known
// loses: result
// says: is wrong

#include "csr.cuh"

extern "C" __global__ void look_back(const offset_t *offsets, const int *neighbours, int *level,
                                     int *parent, int vertices, int depth, int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  int known[10] = {-1, 0, 1, 2, 6, 0, 5, 1, 7, 3};
  if (vertices == 10 && v < 10 && level[v] < 0 && level[known[v]] == depth) {
    level[v] = depth + 1;
    parent[v] = known[v];
    *found = 1;
  }
}
