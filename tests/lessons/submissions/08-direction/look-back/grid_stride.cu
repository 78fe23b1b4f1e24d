// right: a loop over vertices, as many apart as there are threads, and a flag as the condition

#include "csr.cuh"

extern "C" __global__ void look_back(const offset_t *offsets, const int *neighbours, int *level,
                                     int *parent, int vertices, int depth, int *found) {
  int threads = gridDim.x * blockDim.x;
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < vertices; v += threads) {
    bool looking = level[v] == -1;
    for (offset_t e = offsets[v]; looking && e < offsets[v + 1]; e++) {
      int u = neighbours[e];
      looking = level[u] != depth;
      if (!looking) parent[v] = u;
      if (!looking) atomicExch(&level[v], depth + 1);
      if (!looking) atomicMax(found, 1);
    }
  }
}
