// right: the branch before the ballot

#define EVERY_LANE 0xffffffffu

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int lane = threadIdx.x % warpSize;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  int warps = gridDim.x * blockDim.x / warpSize;
  int words = vertices / warpSize + (vertices % warpSize > 0);
  for (int w = warp; w < words; w += warps) {
    int v = w * warpSize + lane;
    bool unvisited = false;
    if (v < vertices) unvisited = level[v] < 0;
    unsigned word = __ballot_sync(EVERY_LANE, unvisited);
    if (lane == warpSize - 1) bits[w] = word;
  }
}
