// wrong: adds once for a warp, not for a block
// loses: limit
// says: more than 8

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
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int first = blockIdx.x * blockDim.x; first < vertices; first += threads) {
    int v = first + threadIdx.x;
    bool found = v < vertices && level[v] == depth;
    unsigned those = __ballot_sync(EVERY_LANE, found);
    int lane = threadIdx.x % warpSize;
    int start = 0;
    if (lane == 0) start = atomicAdd(size, __popc(those));
    start = __shfl_sync(EVERY_LANE, start, 0);
    if (found) queue[start + __popc(those & ((1u << lane) - 1))] = v;
  }
}
