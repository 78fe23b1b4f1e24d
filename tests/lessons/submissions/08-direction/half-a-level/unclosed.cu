// wrong: does not compile: a bracket is missing
// loses: read
// says: `)` is missing

#include "csr.cuh"

extern "C" __global__ void find_parents(const offset_t *offsets, const int *neighbours, int *level,
                                        const int *queue, int queue_size, int depth, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= queue_size) return;
  int v = queue[i];
  offset_t end = offsets[v + 1];
  #pragma unroll 1
  for (offset_t e = offsets[v]; e < end; e++) {
    if (level[neighbours[e]] == depth {
      level[v] = depth + 1;
      atomicAdd(found, 1);
      return;
    }
  }
}
