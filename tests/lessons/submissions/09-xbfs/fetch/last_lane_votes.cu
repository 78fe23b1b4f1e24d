// right: the last lane fetches, and a vote ends the loop

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
  const unsigned all = 0xffffffffu;
  const int mine = threadIdx.x & 31;
  #pragma unroll 1
  do {
    if (i < queue_size) find_parent(offsets, neighbours, level, queue[i], next_depth);
    __syncwarp(all);
    int got = mine == 31 ? atomicAdd(taken, 32) : -1;
    i = mine + __shfl_sync(all, got, 31);
  } while (__any_sync(all, i < queue_size));
}
