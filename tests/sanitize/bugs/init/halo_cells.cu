// A three-point sum of one block through a tile with a halo of zeros.
extern "C" __global__ void halo_cells(const int *in, int *out) {
  __shared__ int tile[66];
  int t = threadIdx.x + 1;
  tile[t] = in[threadIdx.x];
#ifndef BUGGY
  if (threadIdx.x == 0) tile[0] = tile[65] = 0;
#endif
  __syncthreads();
  out[threadIdx.x] = tile[t - 1] + tile[t] + tile[t + 1];  // BUG
}
