// wrong: a barrier between looks and writes, which other blocks do not wait at
// loses: schedule
// says: not in the order

#include "csr.cuh"

extern "C" __global__ void find_parents(const offset_t *offsets, const int *neighbours, int *level,
                                        const int *queue, int queue_size, int depth, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < queue_size ? queue[i] : -1;
  int own = -1;
  if (v >= 0) {
    offset_t end = offsets[v + 1];
    for (offset_t e = offsets[v]; e < end && own < 0; e++) own = level[neighbours[e]];
  }
  __syncthreads();
  if (own < 0) return;
  level[v] = own + 1;
  atomicAdd(found, 1);
}
