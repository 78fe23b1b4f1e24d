// right: the first warp makes all words, however many there are

#define EVERY_LANE 0xffffffffu

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int lane = threadIdx.x % warpSize;
  if (blockIdx.x > 0 || threadIdx.x >= warpSize) return;
  for (int w = 0; w < (vertices + warpSize - 1) / warpSize; w++) {
    int v = w * warpSize + lane;
    unsigned word = __ballot_sync(EVERY_LANE, v < vertices && level[v] < 0);
    if (lane == 0) bits[w] = word;
  }
}
