// wrong: uncoalesced
// loses: limit
// says: the result is right, but load_sectors is

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int sum = 0;
  int each = (vertices + threads - 1) / threads;
  for (int v = thread * each; v < vertices && v < (thread + 1) * each; v++) {
    if (level[v] == depth) sum += offsets[v + 1] - offsets[v];
  }
  part[thread] = sum;
}
