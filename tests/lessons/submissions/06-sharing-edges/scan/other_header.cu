// wrong: a header that is not there
// loses: read
// says: is not known

#include "block_scan.cuh"

extern "C" __global__ void scan(const int *in, int count, int *out, int *totals) {
  __shared__ int sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < count ? in[i] : 0;
  int before = block_exclusive_sum(value, sums);
  if (i < count) out[i] = before;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = before + value;
}
