// wrong: a stride of 32, whatever the block
// loses: result
// says: is wrong

#define EACH 8

extern "C" __global__ void increase(const int *in, int *out) {
  int first = blockIdx.x * blockDim.x * EACH + threadIdx.x;
  for (int k = 0; k < EACH; k++) out[first + k * 32] = in[first + k * 32] + 1;
}
