extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int sum = 0;
  int v = thread;
  while (v < vertices) {
    if (level[v] == depth) {
      sum += offsets[v + 1] - offsets[v];
      v += threads;
    }
  }
  part[thread] = sum;
}
