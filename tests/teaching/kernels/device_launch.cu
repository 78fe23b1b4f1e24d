// Launches from device code: work whose size only the device knows, and a loop of launches
// that the host starts once. Compile with -dc.

extern "C" __global__ void scale_row(float *row, int length, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length) row[i] *= factor;
}

// Rows of very different lengths: each gets a grid of its own size, so no lane waits for
// a longer row. Row r owns offsets[r] to offsets[r + 1].
extern "C" __global__ void scale_rows(const int *offsets, float *values, const float *factors,
                                      int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  int length = offsets[r + 1] - offsets[r];
  // A launch with an empty grid is an error.
  if (length == 0) return;
  dim3 block(32);
  dim3 grid((length + block.x - 1) / block.x);
  scale_row<<<grid, block>>>(values + offsets[r], length, factors[r]);
}

// Adds the upper half to the lower half until one element is left: each step launches the
// next. A tail launch begins when this grid has ended, so it sees all sums.
extern "C" __global__ void sum_by_halves(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int half = (n + 1) / 2;
  if (i + half < n) data[i] += data[i + half];
  if (i == 0 && half > 1) {
    int threads = (half + 1) / 2;
    sum_by_halves<<<(threads + 63) / 64, 64, 0, cudaStreamTailLaunch>>>(data, half);
  }
}
