// Transpose of a rows x columns matrix, in three versions.
//
// Blocks are TILE x STRIPE threads; each thread moves TILE / STRIPE elements of a
// column of its block's tile.

#define TILE 32
#define STRIPE 8

// Reads along rows and writes down columns: every lane's store hits its own sector.
extern "C" __global__ void transpose_naive(const float *in, float *out, int rows, int columns) {
  int column = blockIdx.x * TILE + threadIdx.x;
  for (int y = threadIdx.y; y < TILE; y += STRIPE) {
    int row = blockIdx.y * TILE + y;
    if (row < rows && column < columns) out[column * rows + row] = in[row * columns + column];
  }
}

// Turns the tile in shared memory, so that loads and stores both run along rows.
extern "C" __global__ void transpose_tiled(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[TILE][TILE];
  int first_row = blockIdx.y * TILE;
  int first_column = blockIdx.x * TILE;
  int x = threadIdx.x;
  for (int y = threadIdx.y; y < TILE; y += STRIPE) {
    bool inside = first_row + y < rows && first_column + x < columns;
    if (inside) tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __syncthreads();
  // A warp reads a column of the tile here: 32 words of one bank, one after the other.
  for (int y = threadIdx.y; y < TILE; y += STRIPE) {
    bool inside = first_column + y < columns && first_row + x < rows;
    if (inside) out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}

// The same with one unused column, which puts the words of a column in 32 banks.
extern "C" __global__ void transpose_padded(const float *in, float *out, int rows, int columns) {
  __shared__ float tile[TILE][TILE + 1];
  int first_row = blockIdx.y * TILE;
  int first_column = blockIdx.x * TILE;
  int x = threadIdx.x;
  for (int y = threadIdx.y; y < TILE; y += STRIPE) {
    bool inside = first_row + y < rows && first_column + x < columns;
    if (inside) tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < TILE; y += STRIPE) {
    bool inside = first_column + y < columns && first_row + x < rows;
    if (inside) out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}
