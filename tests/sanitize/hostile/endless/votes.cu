extern "C" __global__ void votes(int *a) {
  while (__syncthreads_or(threadIdx.x == 3)) a[blockIdx.x * blockDim.x + threadIdx.x]++;
}
