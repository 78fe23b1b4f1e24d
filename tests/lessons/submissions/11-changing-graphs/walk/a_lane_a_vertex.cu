// wrong: a thread for each vertex in the place of a warp
// loses: limit
// says: the result is right, but load_requests is

extern "C" __global__ void walk(const int *frontier, int size, const int *first_page,
                                const int *degree, const int *pages, int *level, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  int page = first_page[frontier[i]];
  for (int left = degree[frontier[i]]; left > 0; left -= 31) {
    for (int at = 0; at < 31 && at < left; at++) {
      int w = pages[32 * page + at];
      if (level[w] < 0) level[w] = depth + 1;
    }
    page = pages[32 * page + 31];
  }
}
