// y = A x with a sparse A: by rows (CSR), and by columns of a padded table (ELL).

// A thread for a row.
extern "C" __global__ void spmv_scalar(
    const int *starts, const int *columns, const float *values, const float *x, float *y,
    int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; i++) sum += values[i] * __ldg(&x[columns[i]]);
  y[row] = sum;
}

// A warp for a row: neighbours read neighbours.
extern "C" __global__ void spmv_vector(
    const int *starts, const int *columns, const float *values, const float *x, float *y,
    int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  float sum = 0;
  for (int i = starts[row] + lane; i < starts[row + 1]; i += warpSize)
    sum += values[i] * x[columns[i]];
  for (int step = warpSize / 2; step > 0; step /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0) y[row] = sum;
}

// Place `k * rows + row` of the table has the row's k-th entry; a column of -1 is none.
extern "C" __global__ void spmv_table(
    const int *columns, const float *values, int width, const float *x, float *y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < width; k++) {
    int column = columns[k * rows + row];
    if (column < 0) break;
    sum += values[k * rows + row] * x[column];
  }
  y[row] = sum;
}
