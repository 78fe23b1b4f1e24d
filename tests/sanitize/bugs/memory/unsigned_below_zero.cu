// Each thread looks backwards for the last element that is not zero; -1 if there is none.
extern "C" __global__ void unsigned_below_zero(const int *in, int *found) {
#ifdef BUGGY
  unsigned at = threadIdx.x;
  while (at >= 0 && in[at] == 0) at--;  // BUG
#else
  int at = threadIdx.x;
  while (at >= 0 && in[at] == 0) at--;
#endif
  found[threadIdx.x] = at;
}
