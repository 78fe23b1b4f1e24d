// wrong: no fetching: a stride of the grid, and the counter filled in
// loses: limit
// says: work.maximum is

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
  int threads = gridDim.x * blockDim.x;
  if (i == 0) *taken = queue_size;
  #pragma unroll 1
  for (; i < queue_size; i += threads) {
    find_parent(offsets, neighbours, level, queue[i], next_depth);
  }
}
