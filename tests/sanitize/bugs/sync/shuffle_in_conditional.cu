// Each lane but the first adds its left neighbour's value.
extern "C" __global__ void shuffle_in_conditional(const int *in, int *out) {
  int lane = threadIdx.x, value = in[lane];
#ifdef BUGGY
  int left = lane > 0 ? __shfl_up_sync(0xffffffff, value, 1) : 0;  // BUG
#else
  int left = __shfl_up_sync(0xffffffff, value, 1);
  if (lane == 0) left = 0;
#endif
  out[lane] = value + left;
}
