// Turns the numbers of each block round in a tile; threads ask a barrier in memory again and again.
#include <cuda_awbarrier_primitives.h>

extern "C" __global__ void phase_that_nobody_ends(const int *in, int *out) {
  __shared__ __mbarrier_t bar;
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t == 0) __mbarrier_init(&bar, blockDim.x);
  __syncthreads();
  tile[t] = in[64 * blockIdx.x + t];
  __mbarrier_token_t token = __mbarrier_arrive(&bar);
#ifdef BUGGY
  token++;
#endif
  while (!__mbarrier_test_wait(&bar, token)) {  // BUG
  }
  out[64 * blockIdx.x + t] = tile[63 - t];
}
