extern "C" __global__ void barriers(int *a) {
  while (true) __syncthreads();
}
