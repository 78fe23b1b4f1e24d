// The barrier stands before the write that it should publish.
extern "C" __global__ void barrier_too_early(const int *in, int *out) {
  __shared__ int part[64];
  int t = threadIdx.x;
#ifdef BUGGY
  __syncthreads();
  part[t] = in[t];  // BUG
#else
  part[t] = in[t];
  __syncthreads();
#endif
  out[t] = part[(t + 1) % 64];  // BUG
}
