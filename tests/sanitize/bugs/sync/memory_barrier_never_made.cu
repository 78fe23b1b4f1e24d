// Turns the numbers of each block round in a tile, whose threads meet at a barrier in memory.
#include <cuda_awbarrier_primitives.h>

extern "C" __global__ void memory_barrier_never_made(const int *in, int *out) {
  __shared__ __mbarrier_t bar;
  __shared__ int tile[64];
  int t = threadIdx.x;
#ifndef BUGGY
  if (t == 0) __mbarrier_init(&bar, blockDim.x);
#endif
  __syncthreads();
  tile[t] = in[64 * blockIdx.x + t];
  __mbarrier_token_t token = __mbarrier_arrive(&bar);  // BUG
  while (!__mbarrier_test_wait(&bar, token)) {
  }
  out[64 * blockIdx.x + t] = tile[63 - t];
}
