// wrong: two neighbouring vertices for each thread: half of each sector waits for the second load
// loses: limit
// says: the result is right, but load_sectors is

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int sum = 0;
  for (int pair = 2 * thread; pair < vertices; pair += 2 * threads) {
    for (int v = pair; v < min(pair + 2, vertices); v++)
      if (level[v] == depth) sum += offsets[v + 1] - offsets[v];
  }
  part[thread] = sum;
}
