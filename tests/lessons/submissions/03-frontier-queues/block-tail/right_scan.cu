// right: a prefix sum in shared memory over all threads

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
  __shared__ int sums[1024];
  __shared__ int start;
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int first = blockIdx.x * blockDim.x; first < vertices; first += threads) {
    int v = first + threadIdx.x;
    bool found = v < vertices && level[v] == depth;
    // Hillis and Steele: after the turn with distance d, a sum covers 2 * d threads.
    int sum = found;
    for (int d = 1; d < blockDim.x; d *= 2) {
      sums[threadIdx.x] = sum;
      __syncthreads();
      if (threadIdx.x >= d) sum += sums[threadIdx.x - d];
      __syncthreads();
    }
    if (threadIdx.x == blockDim.x - 1) start = atomicAdd(size, sum);
    __syncthreads();
    if (found) queue[start + sum - 1] = v;
  }
}
