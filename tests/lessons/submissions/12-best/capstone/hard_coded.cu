// wrong: knows rows of vertices only
// loses: result
// says: but the source is 28

#include "csr.cuh"

extern "C" __global__ void persistent(const offset_t *offsets, const int *neighbours,
                                      int *level, int *frontier, int *next, int *sizes,
                                      int vertices) {
  int threads = gridDim.x * blockDim.x;
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < vertices; v += threads) {
    if (v != *frontier) level[v] = v;
  }
}
