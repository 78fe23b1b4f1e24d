// wrong: every block does the part of the first
// loses: result
// says: is wrong

#define EACH 8

extern "C" __global__ void increase(const int *in, int *out) {
  for (int k = 0; k < EACH; k++) {
    int i = threadIdx.x + k * blockDim.x;
    out[i] = in[i] + 1;
  }
}
