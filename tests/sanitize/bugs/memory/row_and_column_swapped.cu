// Doubles a matrix that is wider than it is high.
extern "C" __global__ void row_and_column_swapped(float *matrix, int height, int width) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
#ifdef BUGGY
  matrix[x * width + y] *= 2;  // BUG
#else
  matrix[y * width + x] *= 2;
#endif
}
