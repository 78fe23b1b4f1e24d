// wrong: reserves no room for a single vertex
// loses: sanitizer
// says: reads start

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
  __shared__ int warp_totals[MOST_WARPS];
  __shared__ int start;  // where the block's vertices go in this round
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;

  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int first = blockIdx.x * blockDim.x; first < vertices; first += threads) {
    int v = first + threadIdx.x;
    bool found = v < vertices && level[v] == depth;
    // Bit i is lane i's: a lane's place in its warp is the number of bits below its own.
    unsigned those = __ballot_sync(EVERY_LANE, found);
    int place = __popc(those & ((1u << lane) - 1));
    if (lane == 0) warp_totals[warp] = __popc(those);
    __syncthreads();

    // One thread turns the totals into places, and reserves room for the block.
    if (threadIdx.x == 0) {
      int total = 0;
      for (int w = 0; w < blockDim.x / warpSize; w++) {
        int own = warp_totals[w];
        warp_totals[w] = total;
        total += own;
      }
      if (total > 1) start = atomicAdd(size, total);
    }
    __syncthreads();

    // No third barrier: in the next round `start` is written behind the first one, and
    // what a warp reads of warp_totals only itself writes, after a ballot.
    if (found) queue[start + warp_totals[warp] + place] = v;
  }
}
