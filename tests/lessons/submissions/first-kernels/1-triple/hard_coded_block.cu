// wrong: hard-coded size of the block
// loses: result
// says: out[40] is wrong

extern "C" __global__ void triple(const int *in, int *out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < gridDim.x * blockDim.x) out[i] = 3 * in[i];
}
