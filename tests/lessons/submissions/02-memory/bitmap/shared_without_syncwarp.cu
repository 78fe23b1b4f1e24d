// wrong: missing barrier: lanes of a warp meet in shared memory, and only lockstep orders them
// loses: sanitizer
// says: race on words

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int lane = threadIdx.x % 32;
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int warps = gridDim.x * blockDim.x / 32;
  int words = (vertices + 31) / 32;
  __shared__ unsigned words_of[32];
  unsigned *word = &words_of[threadIdx.x / 32];
  for (int w = warp; w < words; w += warps) {
    int v = w * 32 + lane;
    if (lane == 0) *word = 0;
    if (v < vertices && level[v] < 0) atomicOr(word, 1u << lane);
    if (lane == 0) bits[w] = *word;
  }
}
