// Each thread sets one byte; an int covers the neighbours' too.
extern "C" __global__ void overlapping_bytes(unsigned char *bytes) {
  int t = threadIdx.x;
#ifdef BUGGY
  if (t % 4 == 0) *(int *)(bytes + t) = t + 1;  // BUG
  else bytes[t] = t + 1;  // BUG
#else
  bytes[t] = t + 1;
#endif
}
