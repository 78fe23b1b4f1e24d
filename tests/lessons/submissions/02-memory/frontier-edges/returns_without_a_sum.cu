// wrong: threads without a vertex return before they store their 0
// loses: result
// says: part[10] is still -1

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  if (thread >= vertices) return;
  int sum = 0;
  for (int v = thread; v < vertices; v += threads) {
    if (level[v] == depth) sum += offsets[v + 1] - offsets[v];
  }
  part[thread] = sum;
}
