// wrong: lanes without a vertex ask about the last one
// loses: result
// says: bits[1] is wrong

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int lane = threadIdx.x % 32;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int warps = gridDim.x * blockDim.x / 32;
  int words = (vertices + 31) / 32;
  for (int w = warp; w < words; w += warps) {
    int v = min(w * 32 + lane, vertices - 1);
    unsigned word = __ballot_sync(0xffffffffu, level[v] < 0);
    if (lane == 0) bits[w] = word;
  }
}
