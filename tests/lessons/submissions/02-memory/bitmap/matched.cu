// right: from the last word to the first, and lanes with the same answer find each other

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int lane = threadIdx.x % 32;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int warps = gridDim.x * blockDim.x / 32;
  int words = (vertices + 31) / 32;
  for (int w = words - 1 - warp; w >= 0; w -= warps) {
    int v = w * 32 + lane;
    int mine = v < vertices && level[v] < 0 ? 1 : 0;
    unsigned alike = __match_any_sync(0xffffffffu, mine);
    if (lane == 31) bits[w] = mine ? alike : ~alike;
  }
}
