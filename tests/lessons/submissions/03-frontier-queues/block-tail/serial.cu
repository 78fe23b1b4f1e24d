// wrong: serial: one thread looks at all vertices of the block and adds for them
// loses: limit
// says: load_requests is

// Gathers the vertices of one level in a queue, in any order.
//
// The grid walks over the vertices in rounds; in each a thread looks at one. A
// block's threads stay together to the end, so that they may add up what they
// have found.

// level[v]: distance from the source, -1 where not visited.
// depth:    distance of the vertices that are wanted.
// queue:    they go here, in any order.
// size:     how many they are; 0 at the start.

#define EVERY_LANE 0xffffffffu
#define MOST_WARPS 32  // of a block

extern "C" __global__ void gather(const int *level, int vertices, int depth, int *queue,
                                  int *size) {
  // Room for what the block shares.

  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int first = blockIdx.x * blockDim.x; first < vertices; first += threads) {
    // Right, but every vertex is an addition to the one counter. NVIDIA's compiler
    // makes one atomic of those of a warp; of those of a block it cannot.
    if (threadIdx.x == 0) {
      int last = min(first + (int)blockDim.x, vertices);
      int total = 0;
      for (int u = first; u < last; u++) total += level[u] == depth;
      int place = atomicAdd(size, total);
      for (int u = first; u < last; u++) {
        if (level[u] == depth) queue[place++] = u;
      }
    }
  }
}
