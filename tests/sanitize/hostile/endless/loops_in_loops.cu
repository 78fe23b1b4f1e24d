extern "C" __global__ void loops_in_loops(int *a) {
  for (;;) {
    for (int j = 0; j < 10; j++) {
      for (int k = 0; k < 10; k++) a[blockIdx.x * blockDim.x + threadIdx.x] ^= j * k;
    }
  }
}
