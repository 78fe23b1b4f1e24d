__device__ int deeper(int x) { return deeper(x + 1) + 1; }

extern "C" __global__ void recursion_without_end(int *a) { a[0] = deeper(0); }
