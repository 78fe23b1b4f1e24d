// wrong: groups of all blocks go over the same vertices
// loses: limit
// says: merged_load_requests is

extern "C" __global__ void expand(const int *offsets, const int *neighbours,
                                  const int *frontier, int size, int width,
                                  int depth, int *level) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int lane = thread % width;
  for (int i = thread / width; i < size; i += blockDim.x / width) {
    int u = frontier[i];
    int end = offsets[u + 1];
    for (int e = offsets[u] + lane; e < end; e += width) {
      int v = neighbours[e];
      if (level[v] < 0) level[v] = depth;
    }
  }
}
