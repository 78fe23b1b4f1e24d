// wrong: right for powers of two only: the opposite place by exclusive or
// loses: fault
// says: but tile has

extern "C" __global__ void reverse(const int *in, int *out) {
  extern __shared__ int tile[];
  int first = blockIdx.x * blockDim.x;
  tile[threadIdx.x] = in[first + threadIdx.x];
  __syncthreads();
  out[first + threadIdx.x] = tile[threadIdx.x ^ (blockDim.x - 1)];
}
