// wrong: one thread goes through the queue
// loses: limit
// says: the result is right, but work.maximum is

extern "C" __global__ void nearer(const int *offsets, const int *neighbours, unsigned *level,
                                  int *queues, int *sizes, int *stamp, int vertices, int round) {
  if (blockIdx.x + threadIdx.x > 0) return;
  int *next = queues + (round + 1) * vertices;
  for (int i = 0; i < sizes[round]; i++) {
    int u = queues[round * vertices + i];
    for (int e = offsets[u]; e < offsets[u + 1]; e++) {
      int w = neighbours[e];
      if (level[w] > level[u] + 1) {
        level[w] = level[u] + 1;
        if (stamp[w] != round) next[sizes[round + 1]++] = w;
        stamp[w] = round;
      }
    }
  }
}
