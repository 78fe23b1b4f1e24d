// warp-enqueue: one atomic on the queue's tail for all lanes of a warp.
#include "csr.cuh"

// level[v]:  distance from the source, -1 where not visited yet.
// frontier:  vertices of the level before; next: those that are discovered.
extern "C" __global__ void warp_enqueue(const offset_t *offsets, const int *neighbours, int *level,
                                        const int *frontier, int frontier_size, int *next,
                                        int *next_size, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % warpSize;
  offset_t e = i < frontier_size ? offsets[frontier[i]] : 0;
  offset_t end = i < frontier_size ? offsets[frontier[i] + 1] : 0;
  // All lanes stay in the loop until the last has no edge left: they vote in it.
  while (__any_sync(0xffffffff, e < end)) {
    int w = e < end ? neighbours[e] : -1;
    bool found = w >= 0 && level[w] < 0 && atomicCAS(&level[w], -1, depth) == -1;
    unsigned votes = __ballot_sync(0xffffffff, found);
    int first = 0;
    if (lane == 0 && votes != 0) first = atomicAdd(next_size, __popc(votes));
    first = __shfl_sync(0xffffffff, first, 0);
    if (found) next[first + __popc(votes & ((1u << lane) - 1))] = w;
    e++;
  }
}
