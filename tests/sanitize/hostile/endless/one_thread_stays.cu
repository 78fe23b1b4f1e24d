extern "C" __global__ void one_thread_stays(int *a) {
  if (blockIdx.x == 1 && threadIdx.x == 40) {
    while (true) a[0]++;
  }
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
