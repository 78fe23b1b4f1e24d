// Which pairs have a member: both lanes of a pair write. The same value does no harm.
extern "C" __global__ void two_lanes_one_address(const int *in, int *pairs) {
  int t = threadIdx.x;
#ifdef BUGGY
  pairs[t / 2] = in[t];  // BUG
#else
  pairs[t / 2] = 1 + t / 2;
#endif
}
