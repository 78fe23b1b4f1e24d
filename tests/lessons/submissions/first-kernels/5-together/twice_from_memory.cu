// wrong: reads its neighbour from global memory
// loses: limit
// says: the result is right, but load_requests is

extern "C" __global__ void together(const int *in, int *out) {
  int first = blockIdx.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + in[first + (threadIdx.x + 1) % blockDim.x];
}
