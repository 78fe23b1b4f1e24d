// right: a while loop, and the store of both levels behind it

extern "C" __global__ void two_levels(const int *offsets, const int *neighbours,
                                      volatile int *level, const int *queue, int queue_size,
                                      int next_depth) {
  int threads = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  #pragma unroll 1
  while (i < queue_size) {
    int v = queue[i], e = offsets[v], end = offsets[v + 1], gets = -1;
    #pragma unroll 1
    while (e < end && gets != next_depth) {
      int found = level[neighbours[e++]];
      if (found == next_depth - 1) gets = next_depth;
      else if (found == next_depth) gets = next_depth + 1;
    }
    if (gets >= 0) level[v] = gets;
    i += threads;
  }
}
