// wrong: thread 0 does everything
// loses: limit
// says: work.maximum

extern "C" __global__ void expand(const int *offsets, const int *neighbours,
                                  const int *frontier, int size, int width,
                                  int depth, int *level) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  if (thread > 0) return;
  for (int i = 0; i < size; i++) {
    int u = frontier[i];
    for (int e = offsets[u]; e < offsets[u + 1]; e++) {
      if (level[neighbours[e]] < 0) level[neighbours[e]] = depth;
    }
  }
}
