// The sums of two arrays over a block, by one helper whose shared array each call fills anew.
__device__ int block_sum(int x) {
  __shared__ int parts[64];
  parts[threadIdx.x] = x;  // BUG
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < blockDim.x; i++)
    sum += parts[i];  // BUG
#ifndef BUGGY
  __syncthreads();  // the next call writes again
#endif
  return sum;
}

extern "C" __global__ void helper_called_twice(const int *in, int *out) {
  int first = block_sum(in[threadIdx.x]);
  int second = block_sum(in[threadIdx.x] * 2);
  if (threadIdx.x == 0) out[0] = first, out[1] = second;
}
