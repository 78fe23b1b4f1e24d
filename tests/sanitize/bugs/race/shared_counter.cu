// Counts the even numbers of a block in a shared variable.
extern "C" __global__ void shared_counter(const int *in, int *counts) {
  __shared__ int even;
  if (threadIdx.x == 0) even = 0;
  __syncthreads();
  if (in[blockIdx.x * blockDim.x + threadIdx.x] % 2 == 0) {
#ifdef BUGGY
    even++;  // BUG
#else
    atomicAdd(&even, 1);
#endif
  }
  __syncthreads();
  if (threadIdx.x == 0) counts[blockIdx.x] = even;
}
