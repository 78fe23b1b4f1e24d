// wrong: right, but through shared memory with a barrier a turn
// loses: limit
// says: shared_requests is

extern "C" __global__ void sum(const int *in, int count, int *out) {
  __shared__ int values[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = i < count ? in[i] : 0;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) values[threadIdx.x] += values[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = values[0];
}
