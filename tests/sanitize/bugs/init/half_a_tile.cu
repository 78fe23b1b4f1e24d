// Transposes a tile of 16 x 16 in a block of 16 x 8 threads: each loads two rows.
extern "C" __global__ void half_a_tile(const int *in, int *out) {
  __shared__ int tile[16][17];
  int x = threadIdx.x, y = threadIdx.y;
#ifdef BUGGY
  tile[y][x] = in[16 * y + x];
#else
  for (int r = y; r < 16; r += 8) tile[r][x] = in[16 * r + x];
#endif
  __syncthreads();
  for (int r = y; r < 16; r += 8) out[16 * r + x] = tile[x][r];  // BUG
}
