// Each thread takes its right neighbour's value, the last one the first's.
extern "C" __global__ void shared_past_end(const int *in, int *out) {
  __shared__ int ring[64];
  int t = threadIdx.x;
  ring[t] = in[t];
  __syncthreads();
#ifdef BUGGY
  out[t] = ring[t + 1];  // BUG
#else
  out[t] = ring[(t + 1) % 64];
#endif
}
