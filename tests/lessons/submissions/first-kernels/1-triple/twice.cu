// wrong: another factor
// loses: result
// says: out[0] is wrong

extern "C" __global__ void triple(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}
