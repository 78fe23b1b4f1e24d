// right: the last warp makes the last word

#define EVERY_LANE 0xffffffffu

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int lane = threadIdx.x % warpSize;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  int warps = gridDim.x * blockDim.x / warpSize;
  int whole = vertices / warpSize;
  for (int w = warp; w < whole; w += warps) {
    unsigned word = __ballot_sync(EVERY_LANE, level[w * warpSize + lane] < 0);
    if (lane == 0) bits[w] = word;
  }
  int rest = vertices % warpSize;
  if (warp == warps - 1 && rest > 0) {
    bool unvisited = lane < rest && level[whole * warpSize + lane] < 0;
    unsigned word = __ballot_sync(EVERY_LANE, unvisited);
    if (lane == 0) bits[whole] = word;
  }
}
