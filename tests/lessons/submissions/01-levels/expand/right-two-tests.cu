// right: a while loop, and what others found in this launch is written once more

#include "csr.cuh"

extern "C" __global__ void status_array(const offset_t *offsets, const int *neighbours,
                                        int *level, int vertices, int depth,
                                        int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v < vertices && level[v] == depth) {
    offset_t e = offsets[v], end = offsets[v + 1];
    bool any = false;
    while (e < end) {
      int w = neighbours[e++];
      int status = level[w];
      // Found in this launch by somebody else: written once more.
      if (status == -1 || status == depth + 1) {
        level[w] = depth + 1;
        any = true;
      }
    }
    if (any) found[0] = 1;
  }
}
