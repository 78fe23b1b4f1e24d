// wrong: off by one
// loses: result
// says: the parts add up to

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int sum = 0;
  for (int v = thread + 1; v < vertices; v += threads) {
    if (level[v] == depth) sum += offsets[v + 1] - offsets[v];
  }
  part[thread] = sum;
}
