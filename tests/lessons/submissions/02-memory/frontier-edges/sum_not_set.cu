// wrong: wrong initial value
// loses: sanitizer
// says: sum

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int sum;
  for (int v = thread; v < vertices; v += threads) {
    if (level[v] == depth) sum += offsets[v + 1] - offsets[v];
  }
  part[thread] = sum;
}
