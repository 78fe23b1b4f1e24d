// Each thread counts the remainders modulo 3 of eight numbers.
extern "C" __global__ void local_counters(const int *in, int *out) {
#ifdef BUGGY
  int count[3];
#else
  int count[3] = {0, 0, 0};
#endif
  for (int k = 0; k < 8; k++) count[in[8 * threadIdx.x + k] % 3]++;  // BUG
  out[threadIdx.x] = 100 * count[0] + 10 * count[1] + count[2];
}
