extern "C" __global__ void very_long(int *a) {
  for (long long k = 0; k < 1ll << 60; k++) a[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}
