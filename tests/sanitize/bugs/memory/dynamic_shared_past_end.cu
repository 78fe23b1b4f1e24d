// Two arrays of blockDim.x elements in one piece of dynamic shared memory.
extern "C" __global__ void dynamic_shared_past_end(const int *in, int *out) {
  extern __shared__ int pool[];
  int t = threadIdx.x, n = blockDim.x;
#ifdef BUGGY
  int second = 2 * n;
#else
  int second = n;
#endif
  pool[t] = in[t];
  pool[second + t] = 10 * in[t];  // BUG
  __syncthreads();
  out[t] = pool[n - 1 - t] + pool[second + n - 1 - t];
}
