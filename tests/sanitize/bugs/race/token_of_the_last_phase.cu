// Turns a row round in two rounds, which threads wait for by the token of their arrival.
#include <cuda_awbarrier_primitives.h>

extern "C" __global__ void token_of_the_last_phase(const int *in, int *out) {
  __shared__ __mbarrier_t bar;
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t == 0) __mbarrier_init(&bar, 64);
  __syncthreads();
  __mbarrier_token_t token = __mbarrier_arrive(&bar);
  while (!__mbarrier_test_wait(&bar, token)) {
  }
  tile[t] = in[64 * blockIdx.x + t];  // BUG
#ifdef BUGGY
  __mbarrier_arrive(&bar);
#else
  token = __mbarrier_arrive(&bar);
#endif
  while (!__mbarrier_test_wait(&bar, token)) {
  }
  out[64 * blockIdx.x + t] = tile[63 - t];  // BUG
}
