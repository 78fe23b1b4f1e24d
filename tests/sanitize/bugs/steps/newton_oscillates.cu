// An integer square root by Newton's method: below a square, x goes up and down for ever.
extern "C" __global__ void newton_oscillates(int *roots, int *turns) {
  int n = threadIdx.x + 1, x = n, next = (x + 1) / 2;
#ifdef BUGGY
  while (next != x) {  // BUG
#else
  while (next < x) {
#endif
    x = next;
    next = (x + n / x) / 2;
    turns[threadIdx.x]++;
  }
  roots[threadIdx.x] = x;
}
