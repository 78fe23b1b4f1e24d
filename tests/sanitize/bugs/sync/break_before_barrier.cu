// Halves a number until it is odd; one barrier a round.
extern "C" __global__ void break_before_barrier(int *a) {
  __shared__ int rounds;
  int t = threadIdx.x;
  if (t == 0) rounds = 0;
  __syncthreads();  // BUG
  for (int round = 0; round < 4; round++) {
#ifdef BUGGY
    if (a[t] % 2 != 0) break;
    a[t] /= 2;
#else
    if (a[t] % 2 == 0) a[t] /= 2;
#endif
    __syncthreads();  // BUG
    if (t == 0) rounds++;
  }
  __syncthreads();  // BUG
  a[t] += rounds;
}
