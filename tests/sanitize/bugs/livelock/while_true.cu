// Threads without work should end, not stay.
extern "C" __global__ void while_true(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BUGGY
  if (i >= n) {
    while (true);  // BUG
  }
#else
  if (i >= n) return;
#endif
  a[i] += 1;
}
