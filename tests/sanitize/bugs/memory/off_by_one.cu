// Each thread sums one row of a matrix of n rows and m columns.
extern "C" __global__ void off_by_one(const int *matrix, int *sums, int n, int m) {
  int row = threadIdx.x;
  if (row >= n) return;
  int sum = 0;
#ifdef BUGGY
  for (int j = 0; j <= m; j++) sum += matrix[row * m + j];  // BUG
#else
  for (int j = 0; j < m; j++) sum += matrix[row * m + j];
#endif
  sums[row] = sum;
}
