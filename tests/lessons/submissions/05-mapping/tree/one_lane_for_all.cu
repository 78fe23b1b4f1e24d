// wrong: lane 0 goes through the vertices of its warp
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
  if (threadIdx.x % warpSize > 0) return;
  int most = 0, sum = 0;
  for (int k = i; k < min(i + warpSize, size); k++) {
    int degree = offsets[frontier[k] + 1] - offsets[frontier[k]];
    most = max(most, degree);
    sum += degree;
  }
  turns[i / warpSize] = most;
  idle[i / warpSize] = warpSize * most - sum;
}
