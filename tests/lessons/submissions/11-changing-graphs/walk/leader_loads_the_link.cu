// wrong: the first lane loads the link by itself
// loses: limit
// says: the result is right, but load_requests is

#define EVERY_LANE 0xffffffffu

extern "C" __global__ void walk(const int *frontier, int size, const int *first_page,
                                const int *degree, const int *pages, int *level, int depth) {
  int lane = threadIdx.x % 32;
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (i >= size) return;
  int v = frontier[i];
  int page = first_page[v];
  int left = degree[v];
  for (; left > 0; left -= 31) {
    if (lane < 31 && lane < left) {
      int w = pages[32 * page + lane];
      if (level[w] < 0) level[w] = depth + 1;
    }
    if (lane == 0) page = pages[32 * page + 31];
    page = __shfl_sync(EVERY_LANE, page, 0);
  }
}
