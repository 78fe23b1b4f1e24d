// right: a condition of the loop in the place of the return

#include "csr.cuh"

extern "C" __global__ void find_parents(const offset_t *offsets, const int *neighbours, int *level,
                                        const int *queue, int queue_size, int depth, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= queue_size) return;
  int v = queue[i];
  bool looking = true;
  for (offset_t e = offsets[v]; looking && e < offsets[v + 1]; e++) {
    int above = level[neighbours[e]] - depth;
    looking = above != 0;
  }
  if (!looking) level[v] = 1 + depth;
  if (!looking) atomicInc((unsigned *)found, 1u << 30);
}
