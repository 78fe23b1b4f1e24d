// wrong: counts elements from 1
// loses: fault
// says: but in has 8 elements

extern "C" __global__ void triple(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1;
  out[i] = 3 * in[i];
}
