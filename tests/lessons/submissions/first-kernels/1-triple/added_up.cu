// right: adds instead of multiplying, in unsigned numbers

extern "C" __global__ void triple(const int *in, int *out) {
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x;
  int x = in[i];
  out[i] = x + x + x;
}
