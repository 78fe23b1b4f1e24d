// wrong: takes the least level among its neighbours, so that some are found a pass too early
// loses: schedule
// says: found

#include "csr.cuh"

extern "C" __global__ void find_parents(const offset_t *offsets, const int *neighbours, int *level,
                                        const int *queue, int queue_size, int depth, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= queue_size) return;
  int v = queue[i];
  int least = -1;
  offset_t end = offsets[v + 1];
  #pragma unroll 1
  for (offset_t e = offsets[v]; e < end && least != depth; e++) {
    int one = level[neighbours[e]];
    if (one >= 0 && (least < 0 || one < least)) least = one;
  }
  if (least < 0) return;
  level[v] = least + 1;
  atomicAdd(found, 1);
}
