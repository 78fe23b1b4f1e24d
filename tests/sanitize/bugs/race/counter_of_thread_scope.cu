// Counts the numbers that are even, by an atomic of each block.
#include <cuda/atomic>

extern "C" __global__ void counter_of_thread_scope(const int *in, int *out) {
#ifdef BUGGY
  using Count = cuda::atomic<int, cuda::thread_scope_thread>;
#else
  using Count = cuda::atomic<int, cuda::thread_scope_block>;
#endif
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Count count;
  if (threadIdx.x == 0) count.store(0);
  __syncthreads();
  if (in[blockIdx.x * blockDim.x + threadIdx.x] % 2 == 0) count.fetch_add(1);  // BUG
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = count.load();
}
