// wrong: begins in the middle of a sector
// loses: fault
// says: elements

#define EACH 8

extern "C" __global__ void increase(const int *in, int *out) {
  int first = blockIdx.x * blockDim.x * EACH + threadIdx.x + 1;
  for (int k = 0; k < EACH; k++) {
    int i = first + k * blockDim.x;
    out[i] = in[i] + 1;
  }
}
