// A bottom-up pass whose threads fetch the next vertex when they are done: fewer atomics.
//
// The kernel is right. It makes an atomic for each vertex of the queue. One for each
// warpSize of them is enough, if a warp fetches together: the vertices that come next, one
// for each of its lanes. A warp that is done fetches again, as long as there are vertices.

// level[v]:   distance from the source, -1 where not visited yet.
// queue:      the vertices not visited yet. Each that has a neighbour at distance
//             next_depth - 1 gets next_depth, the others keep -1.
// taken:      how many places of the queue are taken. Before the launch, one for each thread
//             of the grid; at the end, all of them: queue_size at least.
// Blocks are whole warps.

__device__ void find_parent(const int *offsets, const int *neighbours, int *level, int v,
                            int next_depth) {
  bool found = false;
  int end = offsets[v + 1];
  #pragma unroll 1
  for (int e = offsets[v]; e < end && !found; e++) {
    found = level[neighbours[e]] == next_depth - 1;
  }
  if (found) level[v] = next_depth;
}

extern "C" __global__ void fetch(const int *offsets, const int *neighbours, int *level,
                                 const int *queue, int queue_size, int next_depth,
                                 int *taken) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  //| #pragma unroll 1
  //| while (i < queue_size) {
  //|   find_parent(offsets, neighbours, level, queue[i], next_depth);
  //|   i = atomicAdd(taken, 1);
  //| }
  int lane = threadIdx.x % warpSize;
  // All lanes go on or none: the condition is about the place of the warp's first lane.
  #pragma unroll 1
  while (i - lane < queue_size) {
    if (i < queue_size) find_parent(offsets, neighbours, level, queue[i], next_depth);
    int first = 0;
    __syncwarp();
    if (lane == 0) first = atomicAdd(taken, warpSize);
    i = __shfl_sync(0xffffffffu, first, 0) + lane;
  }
  // END SOLUTION
}
