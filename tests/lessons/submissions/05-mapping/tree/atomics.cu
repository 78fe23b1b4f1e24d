// wrong: all lanes want one word of global memory
// loses: limit
// says: atomic_lanes is

#define EVERY_LANE 0xffffffffu

// Vertex u has offsets[u + 1] - offsets[u] neighbours.
// frontier: its `size` vertices.
// turns[w]: receives the turns of warp w of the grid.
// idle[w]:  receives over all its turns the number of lanes that stand idle, added up.
extern "C" __global__ void cost(const int *offsets, const int *frontier, int size, int *turns,
                                int *idle) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int degree = i < size ? offsets[frontier[i] + 1] - offsets[frontier[i]] : 0;
  int w = i / warpSize;
  if (i % warpSize == 0) turns[w] = idle[w] = 0;
  __syncwarp();
  int most = max(degree, atomicMax(&turns[w], degree));
  atomicAdd(&idle[w], degree);
  __syncwarp();
  if (i % warpSize == 0) idle[w] = warpSize * turns[w] - idle[w];
}
