// `a && b` does not evaluate b where a is false: not all lanes reach the vote.
extern "C" __global__ void vote_behind_and(const int *in, int *out) {
  int lane = threadIdx.x, value = in[lane];
#ifdef BUGGY
  bool both = lane % 2 == 0 && __any_sync(0xffffffff, value > 20);  // BUG
#else
  bool any = __any_sync(0xffffffff, value > 20);
  bool both = lane % 2 == 0 && any;
#endif
  out[lane] = both ? 5 : 6;
}
