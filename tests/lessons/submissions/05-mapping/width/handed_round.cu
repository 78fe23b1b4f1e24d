// right: lanes load different vertices, and hand them round by shuffles

extern "C" __global__ void expand(const int *offsets, const int *neighbours,
                                  const int *frontier, int size, int width,
                                  int depth, int *level) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int in_warp = threadIdx.x % warpSize;
  int lane = thread % width;
  for (int i = thread; i - in_warp < size; i += threads) {
    int begin = 0, end = 0;
    if (i < size) {
      begin = offsets[frontier[i]];
      end = offsets[frontier[i] + 1];
    }
    for (int turn = 0; turn < width; turn++) {
      int first = __shfl_sync(0xffffffffu, begin, turn, width);
      int last = __shfl_sync(0xffffffffu, end, turn, width);
      for (int e = first + lane; e < last; e += width) {
        if (level[neighbours[e]] < 0) level[neighbours[e]] = depth;
      }
    }
  }
}
