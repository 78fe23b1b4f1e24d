// wrong: does not compile
// loses: read
// says: vertexes

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int sum = 0;
  for (int v = thread; v < vertexes; v += threads) {
    if (level[v] == depth) sum += offsets[v + 1] - offsets[v];
  }
  part[thread] = sum;
}
