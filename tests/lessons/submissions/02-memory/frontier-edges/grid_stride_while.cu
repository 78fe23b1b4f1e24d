// right: dealt out like cards, in a while loop

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int sum = 0;
  int v = thread;
  while (v < vertices) {
    int degree = level[v] == depth ? offsets[v + 1] - offsets[v] : 0;
    sum += degree;
    v += threads;
  }
  part[thread] = sum;
}
