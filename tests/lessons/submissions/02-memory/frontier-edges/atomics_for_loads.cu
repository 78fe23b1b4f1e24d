// wrong: the runs of the starter, read by atomics that never swap
// loses: limit
// says: the result is right, but load_sectors is

__device__ int read(const int *at) { return atomicCAS((int *)at, -7, -7); }

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int sum = 0;
  // A run of neighbouring vertices for each thread.
  int each = (vertices + threads - 1) / threads;
  int begin = min(thread * each, vertices);
  int end = min(begin + each, vertices);
  for (int v = begin; v < end; v++) {
    if (read(&level[v]) == depth) sum += read(&offsets[v + 1]) - read(&offsets[v]);
  }
  part[thread] = sum;
}
