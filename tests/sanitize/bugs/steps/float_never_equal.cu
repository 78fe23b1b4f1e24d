// Ten times 0.1 is not 1.
extern "C" __global__ void float_never_equal(int *turns) {
#ifdef BUGGY
  for (float x = 0; x != 1.0f; x += 0.1f) {  // BUG
#else
  for (float x = 0; x < 0.95f; x += 0.1f) {
#endif
    turns[threadIdx.x]++;
  }
}
