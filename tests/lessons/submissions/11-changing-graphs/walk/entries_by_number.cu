// right: counts entries, with a guarded load, and a helper function

__device__ int next_page(int word) { return __shfl_sync(0xffffffffu, word, 31); }

extern "C" __global__ void walk(const int *frontier, int size, const int *first_page,
                                const int *degree, const int *pages, int *level, int depth) {
  int lane = threadIdx.x & 31;
  int i = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5);
  if (i >= size) return;
  int v = frontier[i];
  int entries = degree[v];
  int page = first_page[v];
  for (int entry = lane; entry - lane < entries; entry += 31) {
    bool is_entry = lane != 31 && entry < entries;
    int word = is_entry || lane == 31 ? pages[page * 32 + lane] : -1;
    if (is_entry) {
      if (level[word] == -1) level[word] = depth + 1;
    }
    page = next_page(word);
  }
}
