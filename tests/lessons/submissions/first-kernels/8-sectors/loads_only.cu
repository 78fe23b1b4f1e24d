// wrong: loads neighbours and stores as before
// loses: result
// says: is wrong

#define EACH 8

extern "C" __global__ void increase(const int *in, int *out) {
  int first = blockIdx.x * blockDim.x * EACH + threadIdx.x;
  int own = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
  for (int k = 0; k < EACH; k++) out[own + k] = in[first + k * blockDim.x] + 1;
}
