// One warp fills a buffer, and another one adds up what is in it, round after round.
#include <cuda/barrier>
using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void split_overwrites(const int *in, int *out) {
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier full, empty;
  __shared__ int buffer[32];
  int t = threadIdx.x;
  if (t == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  int sum = 0;
  if (t < 32) {
    for (int round = 0; round < 4; round++) {
      empty.arrive_and_wait();
      buffer[t] = in[32 * round + t];  // BUG
      full.arrive();
    }
  } else {
    empty.arrive();
    for (int round = 0; round < 4; round++) {
      full.arrive_and_wait();
#ifdef BUGGY
      if (round < 3) empty.arrive();
#endif
      sum += buffer[63 - t];  // BUG
#ifndef BUGGY
      if (round < 3) empty.arrive();
#endif
    }
    out[t - 32] = sum;
  }
}
