// right: writes behind the loop, and a warp counts together

#include "csr.cuh"

extern "C" __global__ void find_parents(const offset_t *offsets, const int *neighbours, int *level,
                                        const int *queue, int queue_size, int depth, int *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool discovered = false;
  if (i < queue_size) {
    int v = queue[i];
    offset_t e = offsets[v];
    offset_t end = offsets[v + 1];
    while (e < end && level[neighbours[e]] != depth) e++;
    discovered = e < end;
    if (discovered) level[v] = depth + 1;
  }
  __syncwarp();
  unsigned all = __ballot_sync(0xffffffff, discovered);
  if (threadIdx.x % warpSize == 0 && all) atomicAdd(found, __popc(all));
}
