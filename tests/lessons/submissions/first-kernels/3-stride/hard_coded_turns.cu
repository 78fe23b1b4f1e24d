// wrong: a fixed number of turns, without a guard
// loses: fault
// says: elements

extern "C" __global__ void clamp(const int *in, int n, int *out) {
  int all = gridDim.x * blockDim.x;
  for (int k = 0; k < 3; k++) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + k * all;
    out[i] = in[i] < 0 ? 0 : in[i];
  }
}
