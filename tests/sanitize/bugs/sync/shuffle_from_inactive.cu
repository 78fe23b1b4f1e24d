// The lower half of each warp turns its values around.
extern "C" __global__ void shuffle_from_inactive(const int *in, int *out) {
  int t = threadIdx.x, lane = t % 32, value = in[t];
  if (lane < 16) {
#ifdef BUGGY
    value = __shfl_sync(0x0000ffff, value, 31 - lane);  // BUG
#else
    value = __shfl_sync(0x0000ffff, value, 15 - lane);
#endif
  }
  out[t] = value;
}
