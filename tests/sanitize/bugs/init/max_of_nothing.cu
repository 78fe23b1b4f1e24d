// The largest element, kept in device memory that the host did not set.
extern "C" __global__ void max_of_nothing(const int *in, int *most) {
#ifndef BUGGY
  if (threadIdx.x == 0) *most = in[0];
  __syncthreads();
#endif
  atomicMax(most, in[threadIdx.x]);  // BUG
}
