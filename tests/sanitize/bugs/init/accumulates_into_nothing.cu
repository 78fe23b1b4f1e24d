// Doubles an array into one that the host has not set.
extern "C" __global__ void accumulates_into_nothing(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BUGGY
  out[i] += 2 * in[i];  // BUG
#else
  out[i] = 2 * in[i];
#endif
}
