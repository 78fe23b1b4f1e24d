// 2^31 doubled is zero in 32 bits, and zero is less than n.
extern "C" __global__ void doubling_wraps(int *bits, unsigned n) {
#ifdef BUGGY
  for (unsigned i = 1; i <= n; i *= 2) {  // BUG
#else
  for (unsigned long long i = 1; i <= n; i *= 2) {
#endif
    bits[threadIdx.x]++;
  }
}
