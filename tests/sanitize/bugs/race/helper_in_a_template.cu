// The largest of each row of a block, found by an instance of a template that a loop calls.
template <typename T>
__device__ T block_max(T x) {
  __shared__ T most;
  if (threadIdx.x == 0) most = x;  // BUG
  __syncthreads();
  atomicMax(&most, x);  // BUG
  __syncthreads();
  T result = most;  // BUG
#ifndef BUGGY
  __syncthreads();
#endif
  return result;
}

extern "C" __global__ void helper_in_a_template(const int *in, int *out) {
  for (int row = 0; row < 2; row++) {
    int most = block_max<int>(in[row * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) out[row] = most;
  }
}
