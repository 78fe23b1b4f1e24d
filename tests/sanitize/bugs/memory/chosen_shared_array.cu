// Two shared buffers take turns; each thread reads its neighbour's number from the one that is full.
extern "C" __global__ void chosen_shared_array(const int *in, int *out, int turns) {
  __shared__ int even[64];
  __shared__ int odd[64];
  even[threadIdx.x] = odd[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int *from = even, *to = odd;
  for (int turn = 0; turn < turns; turn++) {
#ifdef BUGGY
    to[threadIdx.x] = from[threadIdx.x + 1];  // BUG
#else
    to[threadIdx.x] = from[(threadIdx.x + 1) % 64];
#endif
    __syncthreads();
    int *full = to;
    to = from;
    from = full;
  }
  out[threadIdx.x] = from[threadIdx.x];
}
