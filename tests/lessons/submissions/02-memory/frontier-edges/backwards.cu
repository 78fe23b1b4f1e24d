// right: from the last vertex to the first, so that no warp begins at a sector

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int sum = 0;
  for (int v = vertices - 1 - thread; v >= 0; v -= threads)
    sum += level[v] == depth ? offsets[v + 1] - offsets[v] : 0;
  part[thread] = sum;
}
