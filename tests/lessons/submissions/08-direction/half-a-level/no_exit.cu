// wrong: goes on when it has found its parent
// loses: limit
// says: work.total

#include "csr.cuh"

extern "C" __global__ void find_parents(const offset_t *offsets, const int *neighbours, int *level,
                                        const int *queue, int queue_size, int depth, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= queue_size) return;
  int v = queue[i];
  bool discovered = false;
  offset_t end = offsets[v + 1];
  #pragma unroll 1
  for (offset_t e = offsets[v]; e < end; e++) discovered |= level[neighbours[e]] == depth;
  if (!discovered) return;
  level[v] = depth + 1;
  atomicAdd(found, 1);
}
