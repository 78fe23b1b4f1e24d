// wrong: each lane walks along a run of edges
// loses: limit
// says: load_sectors is

extern "C" __global__ void expand(const int *offsets, const int *neighbours,
                                  const int *frontier, int size, int width,
                                  int depth, int *level) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int lane = thread % width;
  for (int i = thread / width; i < size; i += threads / width) {
    int u = frontier[i];
    int begin = offsets[u];
    int each = (offsets[u + 1] - begin + width - 1) / width;
    int end = min(begin + (lane + 1) * each, offsets[u + 1]);
    for (int e = begin + lane * each; e < end; e++) {
      int v = neighbours[e];
      if (level[v] < 0) level[v] = depth;
    }
  }
}
