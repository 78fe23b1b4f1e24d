// wrong: atomics that change nothing, in the place of loads
// loses: limit
// says: the result is right, but load_requests is

extern "C" __global__ void walk(const int *frontier, int size, const int *first_page,
                                const int *degree, const int *pages, int *level, int depth) {
  int lane = threadIdx.x % 32;
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (i >= size) return;
  int v = frontier[i];
  int page = first_page[v];
  int *words = (int *)pages;
  for (int left = degree[v]; left > 0; left -= 31) {
    if (lane < 31 && lane < left) {
      int w = atomicOr(&words[32 * page + lane], 0);
      if (level[w] < 0) level[w] = depth + 1;
    }
    page = atomicOr(&words[32 * page + 31], 0);
  }
}
