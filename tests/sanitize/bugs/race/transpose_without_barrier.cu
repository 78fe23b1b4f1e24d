// Transposes a tile of 8 x 8.
extern "C" __global__ void transpose_without_barrier(const int *in, int *out) {
  __shared__ int tile[8][9];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[8 * y + x];  // BUG
#ifndef BUGGY
  __syncthreads();
#endif
  out[8 * y + x] = tile[x][y];  // BUG
}
