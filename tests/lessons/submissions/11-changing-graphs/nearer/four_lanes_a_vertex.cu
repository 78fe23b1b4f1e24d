// right: four threads share a vertex, and the grid goes through the queue

#define SHARE 4

extern "C" __global__ void nearer(const int *offsets, const int *neighbours, unsigned *level,
                                  int *queues, int *sizes, int *stamp, int vertices, int round) {
  const int *queue = queues + round * vertices;
  int *next = queues + (round + 1) * vertices;
  int size = sizes[round];
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = thread / SHARE; i < size; i += gridDim.x * blockDim.x / SHARE) {
    int u = queue[i];
    unsigned below = level[u] + 1;
    int end = offsets[u + 1];
    for (int e = offsets[u] + thread % SHARE; e < end; e += SHARE) {
      int w = neighbours[e];
      if (level[w] <= below) continue;
      if (atomicMin(&level[w], below) <= below) continue;
      if (stamp[w] == round || atomicExch(&stamp[w], round) == round) continue;
      next[atomicAdd(&sizes[round + 1], 1)] = w;
    }
  }
}
