// wrong: lowers neighbours, and enqueues nobody
// loses: result
// says: is wrong

extern "C" __global__ void nearer(const int *offsets, const int *neighbours, unsigned *level,
                                  int *queues, int *sizes, int *stamp, int vertices, int round) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= sizes[round]) return;
  int *queue = queues + round * vertices;
  int *next = queue + vertices;
  int u = queue[i];
  for (int e = offsets[u]; e < offsets[u + 1]; e++) atomicMin(&level[neighbours[e]], level[u] + 1);
}
