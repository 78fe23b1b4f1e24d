// With two elements left, the middle is the lower one: it must not become the lower bound again.
extern "C" __global__ void binary_search_stalls(const int *sorted, int *out, int n) {
  int key = threadIdx.x, low = 0, high = n;
  while (low < high) {  // BUG
    int middle = (low + high) / 2;
#ifdef BUGGY
    if (sorted[middle] < key) low = middle;
#else
    if (sorted[middle] < key) low = middle + 1;
#endif
    else high = middle;
  }
  out[threadIdx.x] = low;
}
