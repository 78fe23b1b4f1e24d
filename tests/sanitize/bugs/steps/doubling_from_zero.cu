// Twice zero is zero.
extern "C" __global__ void doubling_from_zero(int *rounds, int n) {
#ifdef BUGGY
  for (int d = 0; d < n; d *= 2) {  // BUG
#else
  for (int d = 1; d < n; d *= 2) {
#endif
    rounds[threadIdx.x]++;
  }
}
