// wrong: looks at all vertices of the level, and not only at suspects
// loses: limit
// says: the result is right, but load_requests is

extern "C" __global__ void decide(const int *offsets, const int *neighbours, int *level,
                                  int *suspects, int *sizes, int *mark, int vertices,
                                  int depth) {
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int v = first; v < vertices; v += gridDim.x * blockDim.x) {
    if (level[v] != depth || mark[v] == 0) continue;
    bool parent = false;
    for (int e = offsets[v]; e < offsets[v + 1]; e++) {
      if (level[neighbours[e]] == depth - 1) parent = true;
    }
    if (parent) continue;
    level[v] = -1;
    for (int e = offsets[v]; e < offsets[v + 1]; e++) {
      int w = neighbours[e];
      if (level[w] == depth + 1 && atomicExch(&mark[w], 1) == 0) {
        suspects[(depth + 1) * vertices + atomicAdd(&sizes[depth + 1], 1)] = w;
      }
    }
  }
}
