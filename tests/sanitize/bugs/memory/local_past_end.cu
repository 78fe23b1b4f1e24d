// Each thread keeps four values in an array of its own.
extern "C" __global__ void local_past_end(const int *in, int *out) {
  int mine[4];
#ifdef BUGGY
  for (int k = 1; k <= 4; k++) mine[k] = in[threadIdx.x] * k;  // BUG
#else
  for (int k = 1; k <= 4; k++) mine[k - 1] = in[threadIdx.x] * k;
#endif
  out[threadIdx.x] = mine[1] + mine[3];
}
