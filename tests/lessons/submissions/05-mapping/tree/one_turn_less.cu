// wrong: off by one: half of the lanes are left out
// loses: result
// says: turns[0] is wrong

#define EVERY_LANE 0xffffffffu

// Vertex u has offsets[u + 1] - offsets[u] neighbours.
// frontier: its `size` vertices.
// turns[w]: receives the turns of warp w of the grid.
// idle[w]:  receives over all its turns the number of lanes that stand idle, added up.
extern "C" __global__ void cost(const int *offsets, const int *frontier, int size, int *turns,
                                int *idle) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int degree = 0;
  if (i < size) {
    int u = frontier[i];
    degree = offsets[u + 1] - offsets[u];
  }
  int most = degree;
  int sum = degree;
  // After the turn with distance d, lane 0 knows of 32 / d lanes.
  for (int d = warpSize / 2; d > 1; d /= 2) {
    most = max(most, __shfl_down_sync(EVERY_LANE, most, d));
    sum += __shfl_down_sync(EVERY_LANE, sum, d);
  }
  if (threadIdx.x % warpSize == 0) {
    turns[i / warpSize] = most;
    idle[i / warpSize] = warpSize * most - sum;
  }
}
