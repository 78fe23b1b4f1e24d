// right: lowers by atomicCAS in a loop, and stamps by atomicMax

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
    unsigned held = level[w];
    bool lowered = false;
    while (held > below && !lowered) {
      unsigned found = atomicCAS(&level[w], held, below);
      lowered = found == held;
      held = found;
    }
    if (!lowered || atomicMax(&stamp[w], round) == round) continue;
    int place = atomicAdd(&sizes[round + 1], 1);
    next[place] = w;
  }
}
