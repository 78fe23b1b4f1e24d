// Walks over tiles; the next tile is loaded while others still read this one.
extern "C" __global__ void tile_overwritten(const int *in, int *out, int tiles) {
  __shared__ int tile[64];
  int t = threadIdx.x, sum = 0;
  for (int k = 0; k < tiles; k++) {
    tile[t] = in[64 * k + t];  // BUG
    __syncthreads();
    sum += tile[(t + 1) % 64] - tile[t] / 2;  // BUG
#ifndef BUGGY
    __syncthreads();
#endif
  }
  out[t] = sum;
}
