// wrong: thread 0 fetches for the block, without a barrier
// loses: sanitizer
// says: race on

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
  __shared__ int first;
  int lane = threadIdx.x;
  #pragma unroll 1
  while (i - lane < queue_size) {
    if (i < queue_size) find_parent(offsets, neighbours, level, queue[i], next_depth);
    if (lane == 0) first = atomicAdd(taken, blockDim.x);
    i = first + lane;
  }
}
