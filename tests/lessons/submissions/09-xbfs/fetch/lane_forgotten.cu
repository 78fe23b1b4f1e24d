// wrong: all lanes get the same vertex
// loses: result
// says: level[

__device__ void find_parent(const int *offsets, const int *neighbours, int *level, int v,
                            int next_depth) {
  bool found = false;
  int end = offsets[v + 1];
  #pragma unroll 1
  for (int e = offsets[v]; e < end && !found; e++) {
    found = level[neighbours[e]] == next_depth - 1;
  }
  if (found) level[v] = next_depth;
}

extern "C" __global__ void fetch(const int *offsets, const int *neighbours, int *level,
                                 const int *queue, int queue_size, int next_depth,
                                 int *taken) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % warpSize;
  // All lanes go on or none: the condition is about the place of the warp's first lane.
  #pragma unroll 1
  while (i - i % warpSize < queue_size) {
    if (i < queue_size) find_parent(offsets, neighbours, level, queue[i], next_depth);
    int first = 0;
    __syncwarp();
    if (lane == 0) first = atomicAdd(taken, warpSize);
    i = __shfl_sync(0xffffffffu, first, 0);
  }
}
