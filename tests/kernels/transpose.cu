// y = x transposed; x has rows x columns. Tiles of SIDE x SIDE, of which a thread moves SIDE / 8.
#define SIDE 32
#define STEP 8

extern "C" __global__ void transpose_plain(const float *x, float *y, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * SIDE + threadIdx.y;
  for (int i = 0; i < SIDE && r + i < rows; i += STEP) {
    if (c < columns) y[c * rows + r + i] = x[(r + i) * columns + c];
  }
}

// Where an element of the tile lies, so that a column of it meets in one bank, or in none.
struct Plain {
  static constexpr int width = SIDE;
  __device__ static int column(int r, int c) { return c; }
};
struct Padded {
  static constexpr int width = SIDE + 1;
  __device__ static int column(int r, int c) { return c; }
};
struct Swizzled {
  static constexpr int width = SIDE;
  __device__ static int column(int r, int c) { return c ^ r; }
};

template <typename Layout>
__device__ void transposed(const float *x, float *y, int rows, int columns) {
  __shared__ float tile[SIDE][Layout::width];
  int tx = threadIdx.x, ty = threadIdx.y;
  int c = blockIdx.x * SIDE + tx, r = blockIdx.y * SIDE + ty;
  for (int i = 0; i < SIDE; i += STEP) {
    if (c < columns && r + i < rows)
      tile[ty + i][Layout::column(ty + i, tx)] = x[(r + i) * columns + c];
  }
  __syncthreads();
  c = blockIdx.y * SIDE + tx;  // of y
  r = blockIdx.x * SIDE + ty;
  for (int i = 0; i < SIDE; i += STEP) {
    if (c < rows && r + i < columns) y[(r + i) * rows + c] = tile[tx][Layout::column(tx, ty + i)];
  }
}

extern "C" __global__ void transpose_tiles(const float *x, float *y, int rows, int columns) {
  transposed<Plain>(x, y, rows, columns);
}
extern "C" __global__ void transpose_padded(const float *x, float *y, int rows, int columns) {
  transposed<Padded>(x, y, rows, columns);
}
extern "C" __global__ void transpose_swizzled(const float *x, float *y, int rows, int columns) {
  transposed<Swizzled>(x, y, rows, columns);
}
