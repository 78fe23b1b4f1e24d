// right: turned while it is written; cooperative groups wait
#include <cooperative_groups.h>

extern "C" __global__ void reverse(const int *in, int *out) {
  extern __shared__ int tile[];
  int first = blockIdx.x * blockDim.x;
  tile[blockDim.x - 1 - threadIdx.x] = in[first + threadIdx.x];
  cooperative_groups::this_thread_block().sync();
  out[first + threadIdx.x] = tile[threadIdx.x];
}
