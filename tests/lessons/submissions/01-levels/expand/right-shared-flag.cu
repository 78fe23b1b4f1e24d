// right: a flag for the block, and one report for each block

#include "csr.cuh"

extern "C" __global__ void status_array(const offset_t *offsets, const int *neighbours,
                                        int *level, int vertices, int depth,
                                        int *found) {
  __shared__ int any;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < vertices && level[v] == depth) {
    offset_t end = offsets[v + 1];
    for (offset_t e = offsets[v]; e < end; e++) {
      int w = neighbours[e];
      if (level[w] < 0) {
        level[w] = depth + 1;
        any = 1;
      }
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && any) *found = 1;
}
