// An unsigned number is never below zero.
extern "C" __global__ void unsigned_countdown(int *a, unsigned n) {
#ifdef BUGGY
  for (unsigned i = n - 1; i >= 0; i--) {  // BUG
#else
  for (unsigned i = n; i-- > 0;) {
#endif
    a[i % n] += i + 1;
  }
}
