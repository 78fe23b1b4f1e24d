// Adds up the stages of an array by a pipeline of each thread, whose two buffers are used in turn.
#include <cuda/pipeline>

extern "C" __global__ void pipeline_read_too_early(const int *in, int *out) {
  __shared__ int buffer[2][64];
  auto pipe = cuda::make_pipeline();
  int t = threadIdx.x, sum = 0;
  in += 256 * blockIdx.x;
  pipe.producer_acquire();
  cuda::memcpy_async(&buffer[0][t], &in[t], sizeof(int), pipe);  // BUG
  pipe.producer_commit();
  for (int stage = 0; stage < 4; stage++) {
    if (stage < 3) {
      pipe.producer_acquire();
      cuda::memcpy_async(&buffer[(stage + 1) % 2][t], &in[64 * (stage + 1) + t], 4, pipe);  // BUG
      pipe.producer_commit();
    }
#ifndef BUGGY
    pipe.consumer_wait();
#endif
    sum += buffer[stage % 2][t];  // BUG
#ifdef BUGGY
    pipe.consumer_wait();
#endif
    pipe.consumer_release();
  }
  out[64 * blockIdx.x + t] = sum;
}
