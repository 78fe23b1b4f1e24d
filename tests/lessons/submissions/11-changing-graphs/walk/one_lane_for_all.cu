// wrong: one lane walks along all pages
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
  if (lane > 0) return;
  for (int at = 0; left > 0; left--) {
    int w = pages[32 * page + at];
    if (level[w] < 0) level[w] = depth + 1;
    if (++at == 31 && left > 1) {
      page = pages[32 * page + 31];
      at = 0;
    }
  }
}
