// A three-point sum through a tile with a halo; outside the array there are zeros.
extern "C" __global__ void halo_unguarded(const int *in, int *out, int n) {
  __shared__ int tile[66];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
  tile[t] = in[i];
  if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0;
  if (threadIdx.x == 63) {
#ifdef BUGGY
    tile[65] = in[i + 1];  // BUG
#else
    tile[65] = i + 1 < n ? in[i + 1] : 0;
#endif
  }
  __syncthreads();
  out[i] = tile[t - 1] + tile[t] + tile[t + 1];
}
