// wrong: missing barrier
// loses: sanitizer
// says: race on sums

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  __shared__ int sums[1024];
  int sum = 0;
  for (int v = thread; v < vertices; v += threads) {
    if (level[v] == depth) sum += offsets[v + 1] - offsets[v];
  }
  sums[threadIdx.x] = sum;
  int total = 0;
  if (threadIdx.x == 0) {
    for (int t = 0; t < blockDim.x; t++) total += sums[t];
  }
  part[thread] = total;
}
