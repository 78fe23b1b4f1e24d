// wrong: the tree goes through shared memory
// loses: limit
// says: shared_requests is

#define EVERY_LANE 0xffffffffu

// Vertex u has offsets[u + 1] - offsets[u] neighbours.
// frontier: its `size` vertices.
// turns[w]: receives the turns of warp w of the grid.
// idle[w]:  receives over all its turns the number of lanes that stand idle, added up.
extern "C" __global__ void cost(const int *offsets, const int *frontier, int size, int *turns,
                                int *idle) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int most[1024], sum[1024];
  int t = threadIdx.x;
  int degree = i < size ? offsets[frontier[i] + 1] - offsets[frontier[i]] : 0;
  most[t] = degree;
  sum[t] = degree;
  __syncwarp();
  for (int d = warpSize / 2; d > 0; d /= 2) {
    if (t % warpSize < d) {
      most[t] = max(most[t], most[t + d]);
      sum[t] += sum[t + d];
    }
    __syncwarp();
  }
  if (t % warpSize == 0) {
    turns[i / warpSize] = most[t];
    idle[i / warpSize] = warpSize * most[t] - sum[t];
  }
}
