// wrong: a thread for each vertex, whatever the width is
// loses: limit
// says: load_sectors is

extern "C" __global__ void expand(const int *offsets, const int *neighbours,
                                  const int *frontier, int size, int width,
                                  int depth, int *level) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  for (int i = thread; i < size; i += threads) {
    int u = frontier[i];
    int end = offsets[u + 1];
    for (int e = offsets[u]; e < end; e++) {
      int v = neighbours[e];
      if (level[v] < 0) level[v] = depth;
    }
  }
}
