// A helper that sums a block has barriers; one warp alone calls it.
__device__ int block_sum(int *part, int value) {
  part[threadIdx.x] = value;
  __syncthreads();  // BUG
  int sum = 0;
  for (int k = 0; k < (int)blockDim.x; k++) sum += part[k];
  return sum;
}

extern "C" __global__ void barrier_in_a_function(const int *in, int *out) {
  __shared__ int part[64];
  part[threadIdx.x] = 0;
  __syncthreads();
#ifdef BUGGY
  int sum = 0;
  if (threadIdx.x < 32) sum = block_sum(part, in[threadIdx.x]);
#else
  int sum = block_sum(part, threadIdx.x < 32 ? in[threadIdx.x] : 0);
#endif
  __syncthreads();  // BUG
  out[threadIdx.x] = sum;
}
