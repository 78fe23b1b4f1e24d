// wrong: does not store words without a bit
// loses: result
// says: is wrong

// A bitmap of the vertices not visited yet, one bit for each.
//
// 32 words of the status array become one word: who only asks whether a vertex
// was visited reads one sector then where there were 32. The lanes of a warp
// read neighbouring words, and their ballot is the word of the bitmap.
//
// It is right for 64 vertices, and wrong for 40.

#define EVERY_LANE 0xffffffffu

// level: distance from the source, -1 where not visited yet.
// bits:  bit b of bits[w] is 1 if there is a vertex 32 * w + b and it was not
//        visited, else 0.
extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int lane = threadIdx.x % warpSize;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  int warps = gridDim.x * blockDim.x / warpSize;
  int words = (vertices + warpSize - 1) / warpSize;  // the last one may be a part
  for (int w = warp; w < words; w += warps) {
    int v = w * warpSize + lane;
    // Lanes without a vertex take part, and say no.
    unsigned word = __ballot_sync(EVERY_LANE, v < vertices && level[v] < 0);
    if (lane == 0 && word != 0) bits[w] = word;
  }
}
