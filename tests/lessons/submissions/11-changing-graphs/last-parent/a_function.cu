// right: a function that returns at the first parent, and a swap for the mark

__device__ bool has_parent(const int *offsets, const int *neighbours, const int *level, int v,
                           int depth) {
  for (int e = offsets[v + 1] - 1; e >= offsets[v]; e--) {
    int at = level[neighbours[e]];
    if (at >= 0 && at < depth) return true;
  }
  return false;
}

extern "C" __global__ void decide(const int *offsets, const int *neighbours, int *level,
                                  int *suspects, int *sizes, int *mark, int vertices,
                                  int depth) {
  int size = sizes[depth];
  int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += threads) {
    int v = suspects[depth * vertices + i];
    if (has_parent(offsets, neighbours, level, v, depth)) continue;
    level[v] = -1;
    int *next = suspects + (depth + 1) * vertices;
    for (int e = offsets[v]; e < offsets[v + 1]; e++) {
      int w = neighbours[e];
      if (level[w] != depth + 1) continue;
      if (atomicCAS(&mark[w], 0, 1) == 0) next[atomicAdd(&sizes[depth + 1], 1)] = w;
    }
  }
}
