// wrong: thread 0 of the grid does everything
// loses: limit
// says: merged_load_requests is

#define EVERY_LANE 0xffffffffu

// Vertex u has offsets[u + 1] - offsets[u] neighbours.
// frontier: its `size` vertices.
// turns[w]: receives the turns of warp w of the grid.
// idle[w]:  receives over all its turns the number of lanes that stand idle, added up.
extern "C" __global__ void cost(const int *offsets, const int *frontier, int size, int *turns,
                                int *idle) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0) return;
  int warps = gridDim.x * blockDim.x / warpSize;
  for (int w = 0; w < warps; w++) {
    int most = 0, sum = 0;
    for (int k = w * warpSize; k < min((w + 1) * warpSize, size); k++) {
      int degree = offsets[frontier[k] + 1] - offsets[frontier[k]];
      most = max(most, degree);
      sum += degree;
    }
    turns[w] = most;
    idle[w] = warpSize * most - sum;
  }
}
