// All threads of a block add to one shared variable.
extern "C" __global__ void shared_sum(const int *in, int *sums) {
  __shared__ int sum;
#ifndef BUGGY
  if (threadIdx.x == 0) sum = 0;
#endif
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);  // BUG
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
