// Doubles with compare-and-swap: after a failure, the value must be read again.
extern "C" __global__ void compare_with_an_old_value(int *a) {
  int old = atomicAdd(a, 0), assumed;
#ifdef BUGGY
  do {  // BUG
    assumed = atomicCAS(a, old, 2 * old);
  } while (assumed != old);  // BUG
#else
  do {
    assumed = old;
    old = atomicCAS(a, assumed, 2 * assumed);
  } while (assumed != old);
#endif
}
