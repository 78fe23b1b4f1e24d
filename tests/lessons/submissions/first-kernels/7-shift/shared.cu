// right: by way of shared memory

extern "C" __global__ void shift(int *a, int n) {
  __shared__ int tile[1024];
  int i = threadIdx.x;
  if (i < n) tile[i] = a[i];
  __syncthreads();
  if (0 < i && i < n) a[i] = tile[i - 1];
}
