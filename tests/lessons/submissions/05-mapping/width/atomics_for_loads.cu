// wrong: runs of edges for each lane, and atomics that change nothing in the place of loads
// loses: limit
// says: the result is right, but load_sectors is

extern "C" __global__ void expand(const int *offsets, const int *neighbours,
                                  const int *frontier, int size, int width,
                                  int depth, int *level) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int lane = thread % width;
  int *edges = (int *)neighbours;
  for (int group = thread / width; group < size; group += threads / width) {
    int u = frontier[group];
    int first = offsets[u];
    int degree = offsets[u + 1] - first;
    int run = (degree + width - 1) / width;
    int end = min(degree, (lane + 1) * run);
    for (int e = lane * run; e < end; e++) {
      int v = atomicOr(&edges[first + e], 0);
      if (atomicOr(&level[v], 0) < 0) level[v] = depth;
    }
  }
}
