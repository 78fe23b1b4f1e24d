// One half of the block loads, the other half sets zeros; each has a barrier of its own.
extern "C" __global__ void two_barriers(const int *in, int *out) {
  __shared__ int both[64];
  int t = threadIdx.x;
  if (t < 32) {
    both[t] = in[t];
#ifdef BUGGY
    __syncthreads();  // BUG
#endif
  } else {
    both[t] = 0;
#ifdef BUGGY
    __syncthreads();  // BUG
#endif
  }
#ifndef BUGGY
  __syncthreads();
#endif
  out[t] = both[63 - t] + 1;
}
