// wrong: a stride of the whole grid behind the block's part
// loses: fault
// says: elements

#define EACH 8

extern "C" __global__ void increase(const int *in, int *out) {
  int first = blockIdx.x * blockDim.x * EACH + threadIdx.x;
  for (int k = 0; k < EACH; k++) {
    int i = first + k * blockDim.x * gridDim.x;
    out[i] = in[i] + 1;
  }
}
