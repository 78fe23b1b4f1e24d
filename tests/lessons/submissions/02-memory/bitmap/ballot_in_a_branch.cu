// wrong: lanes without a vertex do not come to the ballot
// loses: sanitizer
// says: names lanes

#define EVERY_LANE 0xffffffffu

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int lane = threadIdx.x % warpSize;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  int warps = gridDim.x * blockDim.x / warpSize;
  int words = (vertices + warpSize - 1) / warpSize;
  for (int w = warp; w < words; w += warps) {
    int v = w * warpSize + lane;
    unsigned word = 0;
    if (v < vertices) word = __ballot_sync(EVERY_LANE, level[v] < 0);
    if (lane == 0) bits[w] = word;
  }
}
