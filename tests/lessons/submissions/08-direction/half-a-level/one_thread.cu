// wrong: thread 0 does all, so that there is no other
// loses: limit
// says: work.maximum

#include "csr.cuh"

extern "C" __global__ void find_parents(const offset_t *offsets, const int *neighbours, int *level,
                                        const int *queue, int queue_size, int depth, int *found) {
  if (blockIdx.x * blockDim.x + threadIdx.x > 0) return;
  for (int i = 0; i < queue_size; i++) {
    int v = queue[i];
    for (offset_t e = offsets[v]; e < offsets[v + 1]; e++) {
      if (level[neighbours[e]] == depth) {
        level[v] = depth + 1;
        *found = *found + 1;
        break;
      }
    }
  }
}
