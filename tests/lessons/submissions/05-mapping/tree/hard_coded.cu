// wrong: hard-coded answer
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
  if (threadIdx.x % warpSize == 0) {
    turns[i / warpSize] = 9;
    idle[i / warpSize] = 272;
  }
}
