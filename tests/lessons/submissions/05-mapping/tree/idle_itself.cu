// right: the largest first, for all lanes; then each adds the turns that it is idle; upwards

#define EVERY_LANE 0xffffffffu

// Vertex u has offsets[u + 1] - offsets[u] neighbours.
// frontier: its `size` vertices.
// turns[w]: receives the turns of warp w of the grid.
// idle[w]:  receives over all its turns the number of lanes that stand idle, added up.
extern "C" __global__ void cost(const int *offsets, const int *frontier, int size, int *turns,
                                int *idle) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int u = i < size ? frontier[i] : -1;
  int degree = u >= 0 ? offsets[u + 1] - offsets[u] : 0;
  int most = degree;
  for (int d = 1; d < warpSize; d *= 2) most = max(most, __shfl_up_sync(EVERY_LANE, most, d));
  most = __shfl_sync(EVERY_LANE, most, warpSize - 1);
  int waits = most - degree;
  for (int d = 1; d < warpSize; d *= 2) {
    int left = __shfl_up_sync(EVERY_LANE, waits, d);
    if (threadIdx.x % warpSize >= d) waits += left;
  }
  if (threadIdx.x % warpSize == warpSize - 1) {
    turns[i / warpSize] = most;
    idle[i / warpSize] = waits;
  }
}
