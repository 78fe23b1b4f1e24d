// wrong: each lane takes its own word for the link
// loses: fault
// says: but pages has

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
    int word = pages[32 * page + lane];
    if (lane < 31 && lane < left && level[word] < 0) level[word] = depth + 1;
    page = word;
  }
}
