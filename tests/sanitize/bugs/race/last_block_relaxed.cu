// Each block adds its numbers up; the one that is done last adds up the sums of all.
#include <cuda/atomic>
#ifdef BUGGY
#define ORDER cuda::memory_order_relaxed
#else
#define ORDER cuda::memory_order_acq_rel
#endif

extern "C" __global__ void last_block_relaxed(const int *in, int *sums, unsigned *done, int *out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x != 0) return;
  sums[blockIdx.x] = sum;  // BUG
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*done);
  if (count.fetch_add(1, ORDER) == gridDim.x - 1) {
    int all = 0;
    for (unsigned i = 0; i < gridDim.x; i++) all += sums[i];  // BUG
    out[0] = all;
  }
}
