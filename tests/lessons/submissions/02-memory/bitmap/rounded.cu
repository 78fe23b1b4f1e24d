// wrong: rounds to the nearest number of words
// loses: result
// says: bits[1] is wrong

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int lane = threadIdx.x % 32;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int warps = gridDim.x * blockDim.x / 32;
  int words = (int)rintf(vertices / 32.0f);
  for (int w = warp; w < words; w += warps) {
    int v = w * 32 + lane;
    unsigned word = __ballot_sync(0xffffffffu, v < vertices && level[v] < 0);
    if (lane == 0) bits[w] = word;
  }
}
