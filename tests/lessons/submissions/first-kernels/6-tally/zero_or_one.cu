// right: everybody adds, 0 or 1

extern "C" __global__ void tally(const int *in, int n, int bound, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(count, in[i] > bound ? 1 : 0);
}
