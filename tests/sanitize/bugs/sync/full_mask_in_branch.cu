// Sums the first sixteen lanes of each warp with shuffles.
extern "C" __global__ void full_mask_in_branch(const int *in, int *out) {
  int t = threadIdx.x, lane = t % 32, value = in[t];
  if (lane < 16) {
    for (int d = 8; d > 0; d /= 2) {
#ifdef BUGGY
      value += __shfl_down_sync(0xffffffff, value, d);  // BUG
#else
      value += __shfl_down_sync(0x0000ffff, value, d, 16);
#endif
    }
  }
  out[t] = lane == 0 ? value : -1;
}
