// Each thread increments two neighbouring elements; the array has an odd length.
extern "C" __global__ void unrolled_twice(int *a, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) {
    a[i] += 1;
#ifdef BUGGY
    a[i + 1] += 1;  // BUG
#else
    if (i + 1 < n) a[i + 1] += 1;
#endif
  }
}
