extern "C" __global__ void shuffles(int *a) {
  int x = threadIdx.x;
  while (__any_sync(0xffffffff, x >= 0)) x = __shfl_xor_sync(0xffffffff, x, 1);
}
