// right: one thread does the work of the grid

extern "C" __global__ void expand(const int *offsets, const int *neighbours, int *level,
                                  const int *frontier, int frontier_size, int *next,
                                  int *next_size, int next_depth) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  int size = 0;
  for (int i = 0; i < frontier_size; i++) {
    int u = frontier[i];
    for (int e = offsets[u]; e < offsets[u + 1]; e++) {
      int v = neighbours[e];
      if (level[v] >= 0) continue;
      level[v] = next_depth;
      next[size++] = v;
    }
  }
  *next_size = size;
}
