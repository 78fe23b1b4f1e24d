// The host freed `old` after it had copied it to `current`.
extern "C" __global__ void freed_array(const int *old, const int *current, int *out) {
#ifdef BUGGY
  out[threadIdx.x] = 2 * old[threadIdx.x];  // BUG
#else
  out[threadIdx.x] = 2 * current[threadIdx.x];
#endif
}
