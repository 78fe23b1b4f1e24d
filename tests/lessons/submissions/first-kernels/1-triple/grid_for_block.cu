// wrong: the number of blocks for that of threads
// loses: result
// says: out[70] is wrong

extern "C" __global__ void triple(const int *in, int *out) {
  int i = blockIdx.x * gridDim.x + threadIdx.x;
  if (i < gridDim.x * blockDim.x) out[i] = 3 * in[i];
}
