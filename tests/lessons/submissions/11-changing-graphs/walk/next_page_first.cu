// right: loads the next page before it visits this one

extern "C" __global__ void walk(const int *frontier, int size, const int *first_page,
                                const int *degree, const int *pages, int *level, int depth) {
  int lane = threadIdx.x % warpSize;
  int warps = gridDim.x * blockDim.x / warpSize;
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize; i < size; i += warps) {
    int v = frontier[i];
    int left = degree[v];
    if (left == 0) continue;
    int word = pages[warpSize * first_page[v] + lane];
    while (left > 0) {
      int now = word;
      int page = __shfl_sync(0xffffffffu, now, 31);
      if (left > 31) word = pages[warpSize * page + lane];
      if (lane < min(left, 31) && level[now] < 0) level[now] = depth + 1;
      left -= 31;
    }
  }
}
