#include "csr.cuh"
extern "C" __global__ void status_array(const offset_t *offsets, const int *neighbours,
                                        int *level, int vertices, int depth,
                                        int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] < 0) return;
  bool discovered = false;
  offset_t end = offsets[v + 1];
  for (offset_t e = offsets[v]; e < end; e++) {
    int w = neighbours[e];
    if (level[w] < 0) {
      level[w] = depth + 1;
      discovered = true;
    }
  }
  if (discovered) *found = 1;
}
