// wrong: a barrier that only some threads reach
// loses: fault
// says: a barrier that 16 of 32 threads reach
extern "C" __global__ void reverse(const int *in, int *out) {
  extern __shared__ int tile[];
  int first = blockIdx.x * blockDim.x;
  tile[threadIdx.x] = in[first + threadIdx.x];
  if (threadIdx.x < blockDim.x / 2) __syncthreads();
  out[first + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
