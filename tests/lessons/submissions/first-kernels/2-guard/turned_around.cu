// wrong: turned around: those without an element work
// loses: fault
// says: but in has 6 elements

extern "C" __global__ void square(const int *in, int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n - 1) out[i] = in[i] * in[i];
}
