extern "C" __global__ void counting(int *a) {
  for (;;) a[blockIdx.x * blockDim.x + threadIdx.x]++;
}
