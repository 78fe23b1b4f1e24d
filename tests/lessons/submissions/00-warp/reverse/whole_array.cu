// wrong: turns the whole array around
// loses: result
// says: out[0] is wrong
extern "C" __global__ void reverse(const int *in, int *out) {
  int last = gridDim.x * blockDim.x - 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[last - i];
}
