// Matrix product C = A B, all stored by rows; A is rows x inner, B is inner x columns.
//
// Blocks are TILE x TILE threads, one for each element of a tile of C. No size has to
// be a multiple of TILE.

#ifndef TILE
#define TILE 8
#endif

// Reads every element of A `columns` times and of B `rows` times from global memory.
extern "C" __global__ void matmul_naive(const float *a, const float *b, float *c, int rows,
                                        int inner, int columns) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || column >= columns) return;
  float sum = 0.0f;
  for (int k = 0; k < inner; k++) sum += a[row * inner + k] * b[k * columns + column];
  c[row * columns + column] = sum;
}

// Reads global memory TILE times less often: a block shares what its threads read.
extern "C" __global__ void matmul_tiled(const float *a, const float *b, float *c, int rows,
                                        int inner, int columns) {
  __shared__ float a_tile[TILE][TILE];
  __shared__ float b_tile[TILE][TILE];
  int x = threadIdx.x;
  int y = threadIdx.y;
  int row = blockIdx.y * TILE + y;
  int column = blockIdx.x * TILE + x;
  float sum = 0.0f;
  for (int first = 0; first < inner; first += TILE) {
    // Zeros past the edges add nothing, so the loop below needs no bounds.
    bool a_inside = row < rows && first + x < inner;
    bool b_inside = first + y < inner && column < columns;
    a_tile[y][x] = a_inside ? a[row * inner + first + x] : 0.0f;
    b_tile[y][x] = b_inside ? b[(first + y) * columns + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += a_tile[y][k] * b_tile[k][x];
    // The next turn overwrites the tiles; nobody may still be reading them.
    __syncthreads();
  }
  // Threads past the edges stayed until here because the barriers need them.
  if (row < rows && column < columns) c[row * columns + column] = sum;
}
