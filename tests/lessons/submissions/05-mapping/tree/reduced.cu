// right: the hardware's own reductions

#define EVERY_LANE 0xffffffffu

// Vertex u has offsets[u + 1] - offsets[u] neighbours.
// frontier: its `size` vertices.
// turns[w]: receives the turns of warp w of the grid.
// idle[w]:  receives over all its turns the number of lanes that stand idle, added up.
extern "C" __global__ void cost(const int *offsets, const int *frontier, int size, int *turns,
                                int *idle) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned degree = 0;
  if (i < size) degree = offsets[frontier[i] + 1] - offsets[frontier[i]];
  unsigned most = __reduce_max_sync(EVERY_LANE, degree);
  unsigned sum = __reduce_add_sync(EVERY_LANE, degree);
  if (i % warpSize == 0) {
    turns[i / warpSize] = most;
    idle[i / warpSize] = warpSize * most - sum;
  }
}
