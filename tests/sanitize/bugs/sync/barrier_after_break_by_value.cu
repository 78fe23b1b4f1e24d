// Waits at a barrier in each round of a loop that threads leave by their data.
extern "C" __global__ void barrier_after_break_by_value(const int *in, int *out) {
  __shared__ int seen[64];
  int t = threadIdx.x, steps = 0;
  seen[t] = 0;
#ifdef BUGGY
  while (steps < in[t]) {
#else
  while (steps < 8) {
#endif
    __syncthreads();  // BUG
    if (steps < in[t]) seen[(t + steps) % 64]++;
    steps++;
  }
  __syncthreads();  // BUG
  out[t] = seen[t];
}
