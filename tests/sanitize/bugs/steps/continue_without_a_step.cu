// A thread without work should leave the loop, not stay in it.
extern "C" __global__ void continue_without_a_step(int *a, int n) {
  int i = threadIdx.x;
  while (true) {  // BUG
#ifdef BUGGY
    if (i >= n) continue;  // BUG
#else
    if (i >= n) break;
#endif
    a[i] += 1;
    i += blockDim.x;
  }
}
