// wrong: uncoalesced
// loses: limit
// says: the result is right, but load_sectors is

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int words = (vertices + 31) / 32;
  for (int w = thread; w < words; w += threads) {
    unsigned word = 0;
    for (int b = 0; b < 32; b++) {
      int v = 32 * w + b;
      if (v < vertices && level[v] < 0) word |= 1u << b;
    }
    bits[w] = word;
  }
}
