// Turns an array of several blocks around; __syncthreads does not wait for other blocks.
extern "C" __global__ void barrier_of_one_block(const int *in, int *scratch, int *count, int *out,
                                                int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  scratch[i] = in[i] + 5;  // BUG
  __syncthreads();
#ifndef BUGGY
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1);
    while (atomicAdd(count, 0) < gridDim.x);
    __threadfence();
  }
  __syncthreads();
#endif
  out[i] = scratch[n - 1 - i];  // BUG
}
