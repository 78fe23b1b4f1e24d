// A tree sum with one barrier before its loop and none in it.
extern "C" __global__ void reduction_one_barrier(const int *in, int *sums) {
  __shared__ int part[128];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];  // BUG
#ifndef BUGGY
    __syncthreads();
#endif
  }
  if (t == 0) sums[blockIdx.x] = part[0];
}
