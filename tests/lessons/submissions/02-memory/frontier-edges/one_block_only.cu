// wrong: one block does all the work, and the others do not even store
// loses: result
// says: part[64] is still -1

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = threadIdx.x;
  int threads = blockDim.x;
  if (blockIdx.x > 0) return;
  int sum = 0;
  for (int v = thread; v < vertices; v += threads) {
    if (level[v] == depth) sum += offsets[v + 1] - offsets[v];
  }
  part[thread] = sum;
}
