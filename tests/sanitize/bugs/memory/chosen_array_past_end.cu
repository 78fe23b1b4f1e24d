// Shifts one of two arrays by an element; which one is chosen when it runs.
extern "C" __global__ void chosen_array_past_end(const int *one, const int *two, int *out, int n,
                                                 int first) {
  const int *from = first ? one : two;
  int i = threadIdx.x;
#ifdef BUGGY
  int next = i + 1;
#else
  int next = i + 1 < n ? i + 1 : 0;
#endif
  if (i < n) out[i] = from[next];  // BUG
}
