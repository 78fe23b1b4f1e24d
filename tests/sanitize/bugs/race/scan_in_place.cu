// An inclusive prefix sum in place: a thread writes what its neighbour still reads.
extern "C" __global__ void scan_in_place(int *a) {
  __shared__ int part[64];
  int t = threadIdx.x;
  part[t] = a[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
#ifdef BUGGY
    if (t >= d) part[t] += part[t - d];  // BUG
#else
    int left = t >= d ? part[t - d] : 0;
    __syncthreads();
    part[t] += left;
#endif
    __syncthreads();
  }
  a[t] = part[t];
}
