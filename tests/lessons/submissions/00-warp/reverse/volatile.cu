// wrong: volatile where the block must wait
// loses: schedule
// says: not in the order warp

extern "C" __global__ void reverse(const int *in, int *out) {
  extern __shared__ volatile int tile[];
  int first = blockIdx.x * blockDim.x;
  tile[threadIdx.x] = in[first + threadIdx.x];
  out[first + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
