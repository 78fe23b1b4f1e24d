// wrong: off by one: a turn is missing
// loses: result
// says: is wrong

#define EACH 8

extern "C" __global__ void increase(const int *in, int *out) {
  int first = blockIdx.x * blockDim.x * EACH + threadIdx.x;
  for (int k = 1; k < EACH; k++) {
    int i = first + k * blockDim.x;
    out[i] = in[i] + 1;
  }
}
