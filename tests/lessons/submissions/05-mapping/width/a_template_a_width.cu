// right: a template for each width, and swaps instead of stores

template <int W>
__device__ void level_by(const int *offsets, const int *neighbours, const int *frontier, int size,
                         int depth, int *level) {
  int group = (blockIdx.x * blockDim.x + threadIdx.x) / W;
  int groups = gridDim.x * blockDim.x / W;
  for (; group < size; group += groups) {
    int begin = offsets[frontier[group]], end = offsets[frontier[group] + 1];
    for (int k = threadIdx.x % W; k < end - begin; k += W) {
      atomicCAS(&level[neighbours[begin + k]], -1, depth);
    }
  }
}

extern "C" __global__ void expand(const int *offsets, const int *neighbours,
                                  const int *frontier, int size, int width,
                                  int depth, int *level) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  if (width == 1) level_by<1>(offsets, neighbours, frontier, size, depth, level);
  if (width == 2) level_by<2>(offsets, neighbours, frontier, size, depth, level);
  if (width == 4) level_by<4>(offsets, neighbours, frontier, size, depth, level);
  if (width == 8) level_by<8>(offsets, neighbours, frontier, size, depth, level);
  if (width == 16) level_by<16>(offsets, neighbours, frontier, size, depth, level);
  if (width == 32) level_by<32>(offsets, neighbours, frontier, size, depth, level);
}
