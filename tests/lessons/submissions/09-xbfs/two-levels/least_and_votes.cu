// right: keeps one number: the nearest level that was seen

extern "C" __global__ void two_levels(const int *offsets, const int *neighbours,
                                      volatile int *level, const int *queue, int queue_size,
                                      int next_depth) {
  int threads = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  #pragma unroll 1
  for (int k = i; k < queue_size; k += threads) {
    const int v = queue[k];
    int nearest = next_depth + 1;
    #pragma unroll 1
    for (int e = offsets[v], end = offsets[v + 1]; e < end; e++) {
      int found = level[neighbours[e]];
      if (found >= 0 && found < nearest) nearest = found;
      if (nearest < next_depth) break;
    }
    if (nearest <= next_depth) level[v] = nearest + 1;
  }
}
