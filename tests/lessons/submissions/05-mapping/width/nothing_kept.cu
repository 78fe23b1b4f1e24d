// right: keeps neither the end of a vertex's edges nor a neighbour in a variable: a compiler reads a
// neighbour once all the same, and the end as often as it stands there.
extern "C" __global__ void expand(const int *offsets, const int *neighbours,
                                  const int *frontier, int size, int width,
                                  int depth, int *level) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int lane = thread % width;
  for (int group = thread / width; group < size; group += threads / width) {
    int u = frontier[group];
    for (int e = offsets[u] + lane; e < offsets[u + 1]; e += width)
      if (level[neighbours[e]] < 0) level[neighbours[e]] = depth;
  }
}
