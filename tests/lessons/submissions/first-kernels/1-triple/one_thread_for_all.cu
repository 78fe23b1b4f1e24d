// wrong: thread 0 does the work of all
// loses: limit
// says: the result is right, but work.maximum is

extern "C" __global__ void triple(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int all = gridDim.x * blockDim.x;
  if (i > 0) return;
  for (int k = 0; k < all; k++) out[k] = 3 * in[k];
}
