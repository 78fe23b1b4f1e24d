// wrong: does not compile
// loses: read
// says: atomicMinimum

extern "C" __global__ void nearer(const int *offsets, const int *neighbours, unsigned *level,
                                  int *queues, int *sizes, int *stamp, int vertices, int round) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= sizes[round]) return;
  int *queue = queues + round * vertices;
  int *next = queue + vertices;
  int u = queue[i];
  for (int e = offsets[u]; e < offsets[u + 1]; e++) {
    int w = neighbours[e];
    if (atomicMinimum(&level[w], level[u] + 1) > level[u] + 1)
      next[atomicAdd(&sizes[round + 1], 1)] = w;
  }
}
