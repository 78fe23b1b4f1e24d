// wrong: one thread makes the whole bitmap
// loses: limit
// says: the result is right, but load_sectors is 64

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  for (int w = 0; w < (vertices + 31) / 32; w++) {
    unsigned word = 0;
    for (int v = 32 * w; v < min(32 * w + 32, vertices); v++)
      if (level[v] < 0) word |= 1u << (v % 32);
    bits[w] = word;
  }
}
