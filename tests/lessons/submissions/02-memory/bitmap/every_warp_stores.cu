// wrong: all warps do all the work
// loses: limit
// says: the result is right, but load_sectors is

#define EVERY_LANE 0xffffffffu

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int lane = threadIdx.x % warpSize;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  int warps = gridDim.x * blockDim.x / warpSize;
  int words = (vertices + warpSize - 1) / warpSize;
  for (int w = 0; w < words; w++) {
    int v = w * warpSize + lane;
    unsigned word = __ballot_sync(EVERY_LANE, v < vertices && level[v] < 0);
    bits[w] = word;
  }
}
