// right: bits are joined by shuffles, without a ballot

#define EVERY_LANE 0xffffffffu

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int lane = threadIdx.x % warpSize;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  int warps = gridDim.x * blockDim.x / warpSize;
  int words = (vertices + warpSize - 1) / warpSize;
  for (int w = warp; w < words; w += warps) {
    int v = w * warpSize + lane;
    unsigned word = v < vertices && level[v] < 0 ? 1u << lane : 0u;
    for (int d = warpSize / 2; d > 0; d /= 2) word |= __shfl_xor_sync(EVERY_LANE, word, d);
    if (lane == 0) bits[w] = word;
  }
}
