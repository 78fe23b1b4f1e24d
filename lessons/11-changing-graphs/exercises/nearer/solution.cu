// One round of a repair after edges were inserted: a thread for each vertex that got nearer
// in the round before. Each of its neighbours whose level is more than one above its own gets
// nearer, too, and goes into the next queue: once a round, whoever lowers it, and nobody else.
//
// level[v]:  distance from the source, without a sign: 0xffffffff (-1) where not reached.
// queues:    a queue for each round, with room for all vertices. That of this round begins at
//            queues[round * vertices], the next one `vertices` behind it.
// sizes[r]:  how many are in the queue of round r; sizes[round + 1] is 0 before this round.
// stamp[v]:  the last round that put v into its next queue; -1 if none did.
//
// Threads may lower the same vertex at the same time, to different levels: the least counts.
// Atomics are to be spared where a plain read of the level shows that nothing gets nearer.

extern "C" __global__ void nearer(const int *offsets, const int *neighbours, unsigned *level,
                                  int *queues, int *sizes, int *stamp, int vertices, int round) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= sizes[round]) return;
  int *queue = queues + round * vertices;
  int *next = queue + vertices;
  // BEGIN SOLUTION
  //| // Your code here.
  int u = queue[i];
  unsigned below = level[u] + 1;
  for (int e = offsets[u]; e < offsets[u + 1]; e++) {
    int w = neighbours[e];
    // Of those who read the old level, each one that lowers it gets past the minimum.
    if (level[w] > below && atomicMin(&level[w], below) > below &&
        atomicExch(&stamp[w], round) != round)
      next[atomicAdd(&sizes[round + 1], 1)] = w;
  }
  // END SOLUTION
}
