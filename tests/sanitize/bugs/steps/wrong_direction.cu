// Counts down where it should count up.
extern "C" __global__ void wrong_direction(int *a, int n) {
#ifdef BUGGY
  for (int i = threadIdx.x; i < n; i -= 32) {  // BUG
#else
  for (int i = threadIdx.x; i < n; i += 32) {
#endif
    a[i & 63] += 1;
  }
}
