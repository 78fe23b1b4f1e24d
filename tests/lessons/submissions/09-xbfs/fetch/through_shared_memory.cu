// right: a place in shared memory for each warp, in the place of the shuffle

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
  __shared__ int begin[32];
  int lane = threadIdx.x % 32;
  int warp = threadIdx.x / 32;
  int first = i - lane;
  #pragma unroll 1
  while (first < queue_size) {
    if (first + lane < queue_size) {
      find_parent(offsets, neighbours, level, queue[first + lane], next_depth);
    }
    __syncwarp();
    if (lane == 0) begin[warp] = atomicAdd(taken, 32);
    __syncwarp();
    first = begin[warp];
    __syncwarp();
  }
}
