// Sums every fourth element; a pointer to int counts ints, not bytes.
extern "C" __global__ void stride_in_bytes(const int *in, int *out, int n) {
  int i = threadIdx.x;
  if (i >= n / 4) return;
#ifdef BUGGY
  out[i] = *(in + 4 * i * sizeof(int)) + 7;  // BUG
#else
  out[i] = *(in + 4 * i) + 7;
#endif
}
