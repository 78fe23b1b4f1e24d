// Writes integers byte by byte.
extern "C" __global__ void three_of_four_bytes(const int *in, int *words, int *out) {
  unsigned char *bytes = (unsigned char *)(words + threadIdx.x);
#ifdef BUGGY
  for (int b = 0; b < 3; b++) bytes[b] = in[threadIdx.x] >> 8 * b;
#else
  for (int b = 0; b < 4; b++) bytes[b] = in[threadIdx.x] >> 8 * b;
#endif
  out[threadIdx.x] = words[threadIdx.x];  // BUG
}
