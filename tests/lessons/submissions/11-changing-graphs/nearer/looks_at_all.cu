// wrong: looks at all vertices for those that could get nearer
// loses: limit
// says: the result is right, but load_requests is

extern "C" __global__ void nearer(const int *offsets, const int *neighbours, unsigned *level,
                                  int *queues, int *sizes, int *stamp, int vertices, int round) {
  int *next = queues + (round + 1) * vertices;
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  for (int w = first; w < vertices; w += gridDim.x * blockDim.x) {
    for (int e = offsets[w]; e < offsets[w + 1]; e++) {
      unsigned at = level[neighbours[e]];
      if (at != 0xffffffffu && at + 1 < level[w]) {
        atomicMin(&level[w], at + 1);
        if (atomicExch(&stamp[w], round) != round) next[atomicAdd(&sizes[round + 1], 1)] = w;
      }
    }
  }
}
