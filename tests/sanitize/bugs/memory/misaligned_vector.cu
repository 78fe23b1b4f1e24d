// Reads four ints at once behind a header: of one int, or padded to four.
extern "C" __global__ void misaligned_vector(const int *in, int *out) {
#ifdef BUGGY
  const int4 *fours = (const int4 *)(in + 1);
#else
  const int4 *fours = (const int4 *)(in + 4);
#endif
  int4 v = fours[threadIdx.x];  // BUG
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
