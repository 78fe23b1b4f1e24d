// Sparse matrix times vector, y = A x.
//
// CSR: row r owns the entries offsets[r] to offsets[r + 1] of columns and values.
// ELL: every row has `width` entries; entry k of all rows stand side by side, so that
// neighbouring threads read neighbouring addresses. Column -1 pads short rows.

// One thread a row. Lanes of a warp read far apart and wait for the longest row.
extern "C" __global__ void spmv_csr_scalar(const int *offsets, const int *columns,
                                           const float *values, const float *x, float *y,
                                           int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  int end = offsets[row + 1];
  for (int e = offsets[row]; e < end; e++) sum += values[e] * x[columns[e]];
  y[row] = sum;
}

// One warp a row: its lanes read side by side and add up by shuffles.
extern "C" __global__ void spmv_csr_vector(const int *offsets, const int *columns,
                                           const float *values, const float *x, float *y,
                                           int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
  int lane = threadIdx.x % warpSize;
  // Whole warps leave, so the shuffles below have all their lanes.
  if (row >= rows) return;
  float sum = 0.0f;
  int end = offsets[row + 1];
  for (int e = offsets[row] + lane; e < end; e += warpSize) sum += values[e] * x[columns[e]];
  for (int distance = warpSize / 2; distance > 0; distance /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  }
  if (lane == 0) y[row] = sum;
}

extern "C" __global__ void spmv_ell(const int *columns, const float *values, const float *x,
                                    float *y, int rows, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < width; k++) {
    int column = columns[k * rows + row];
    if (column >= 0) sum += values[k * rows + row] * x[column];
  }
  y[row] = sum;
}
