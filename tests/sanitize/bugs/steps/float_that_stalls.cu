// From 2^24 on, adding one to a float changes nothing.
extern "C" __global__ void float_that_stalls(int *turns) {
#ifdef BUGGY
  for (float x = 16777210; x < 16777220; x += 1) {  // BUG
#else
  for (double x = 16777210; x < 16777220; x += 1) {
#endif
    turns[threadIdx.x]++;
  }
}
