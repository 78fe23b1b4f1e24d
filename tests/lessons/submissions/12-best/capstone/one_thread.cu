// wrong: one thread searches alone
// loses: limit
// says: work.maximum is

#include "csr.cuh"

extern "C" __global__ void persistent(const offset_t *offsets, const int *neighbours,
                                      int *level, int *frontier, int *next, int *sizes,
                                      int vertices) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  int end = 1;
  for (int i = 0; i < end; i++) {
    int u = frontier[i];
    for (offset_t e = offsets[u]; e < offsets[u + 1]; e++) {
      int v = neighbours[e];
      if (level[v] >= 0) continue;
      level[v] = level[u] + 1;
      frontier[end++] = v;
    }
  }
}
