// right: one thread does the work of its block

extern "C" __global__ void expand(const int *offsets, const int *neighbours, int *level,
                                  const int *frontier, int frontier_size, int *next,
                                  int *next_size, int next_depth) {
  extern __shared__ int queue[];
  if (threadIdx.x > 0) return;
  int size = 0;
  int first = blockIdx.x * blockDim.x;
  for (int i = first; i < frontier_size && i < first + blockDim.x; i++) {
    int u = frontier[i];
    for (int e = offsets[u]; e < offsets[u + 1]; e++) {
      int v = neighbours[e];
      if (level[v] < 0 && atomicCAS(&level[v], -1, next_depth) == -1) queue[size++] = v;
    }
  }
  int start = atomicAdd(next_size, size);
  for (int k = 0; k < size; k++) next[start + k] = queue[k];
}
