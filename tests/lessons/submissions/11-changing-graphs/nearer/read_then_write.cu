// wrong: reads the level, and then writes it
// loses: result
// says: level[8] is wrong

extern "C" __global__ void nearer(const int *offsets, const int *neighbours, unsigned *level,
                                  int *queues, int *sizes, int *stamp, int vertices, int round) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= sizes[round]) return;
  int *queue = queues + round * vertices;
  int *next = queue + vertices;
  int u = queue[i];
  unsigned below = level[u] + 1;
  for (int e = offsets[u]; e < offsets[u + 1]; e++) {
    int w = neighbours[e];
    if (level[w] > below) {
      level[w] = below;
      if (atomicExch(&stamp[w], round) != round) next[atomicAdd(&sizes[round + 1], 1)] = w;
    }
  }
}
