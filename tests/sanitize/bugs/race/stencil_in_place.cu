// Adds to each element its right neighbour, which may be of another block.
extern "C" __global__ void stencil_in_place(int *a, int *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BUGGY
  if (i + 1 < n) a[i] = a[i] + a[i + 1];  // BUG
#else
  b[i] = i + 1 < n ? a[i] + a[i + 1] : a[i];
#endif
}
