// right: a butterfly: every lane knows both at the end

#define EVERY_LANE 0xffffffffu

// Vertex u has offsets[u + 1] - offsets[u] neighbours.
// frontier: its `size` vertices.
// turns[w]: receives the turns of warp w of the grid.
// idle[w]:  receives over all its turns the number of lanes that stand idle, added up.
extern "C" __global__ void cost(const int *offsets, const int *frontier, int size, int *turns,
                                int *idle) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int degree = i < size ? offsets[frontier[i] + 1] - offsets[frontier[i]] : 0;
  int most = degree;
  int sum = degree;
  for (int bit = 1; bit < warpSize; bit *= 2) {
    most = max(most, __shfl_xor_sync(EVERY_LANE, most, bit));
    sum += __shfl_xor_sync(EVERY_LANE, sum, bit);
  }
  int lane = threadIdx.x % warpSize;
  if (lane == 1) turns[i / warpSize] = most;
  if (lane == 2) idle[i / warpSize] = warpSize * most - sum;
}
