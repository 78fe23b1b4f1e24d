// Smooths a ring with two buffers; the new values must not go where the old ones are read.
extern "C" __global__ void buffers_not_switched(int *a, int rounds) {
  __shared__ int ring[2][32];
  int t = threadIdx.x;
  ring[0][t] = a[t];
  __syncthreads();
  for (int k = 0; k < rounds; k++) {
    int from = k % 2;
#ifdef BUGGY
    int to = from;
#else
    int to = 1 - from;
#endif
    ring[to][t] = ring[from][t] + ring[from][(t + 1) % 32];  // BUG
    __syncthreads();
  }
  a[t] = ring[rounds % 2][t];
}
