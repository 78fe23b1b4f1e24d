// wrong: race
// loses: sanitizer
// says: race on part

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  for (int v = thread; v < vertices; v += threads) {
    if (level[v] == depth) part[0] += offsets[v + 1] - offsets[v];
  }
}
