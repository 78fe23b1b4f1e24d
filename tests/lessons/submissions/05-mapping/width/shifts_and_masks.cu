// right: shifts and masks, and the end of the edges asked for in each turn

extern "C" __global__ void expand(const int *offsets, const int *neighbours,
                                  const int *frontier, int size, int width,
                                  int depth, int *level) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int log = __ffs(width) - 1;
  int lane = thread & (width - 1);
  for (int i = thread >> log; i < size; i += threads >> log) {
    const int u = frontier[i];
    for (int e = offsets[u] + lane; e < offsets[u + 1]; e += width) {
      int v = neighbours[e];
      if (level[v] == -1) level[v] = depth;
    }
  }
}
