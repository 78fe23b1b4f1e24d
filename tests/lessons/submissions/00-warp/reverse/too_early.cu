// wrong: the barrier before the write
// loses: sanitizer
// says: race on tile
extern "C" __global__ void reverse(const int *in, int *out) {
  extern __shared__ int tile[];
  int first = blockIdx.x * blockDim.x;
  __syncthreads();
  tile[threadIdx.x] = in[first + threadIdx.x];
  out[first + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
