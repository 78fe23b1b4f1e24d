// One bottom-up step without a queue: a thread for each vertex, and some more.
//
// level[v]:  distance from the source, -1 where not visited yet. Neighbours of vertices at distance
//            `depth` that were not visited get depth + 1; nothing else changes.
// parent[v]: for who is found now, the first neighbour in v's list that is at distance `depth`.
//            Of others it stays as it is.
// found:     set to 1 if anybody was found; it is 0 before.
//
// Who was not visited goes through its own list, and looks no further than its parent. Other
// threads write levels meanwhile.

#include "csr.cuh"

extern "C" __global__ void look_back(const offset_t *offsets, const int *neighbours, int *level,
                                     int *parent, int vertices, int depth, int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  // Your code here.
}
