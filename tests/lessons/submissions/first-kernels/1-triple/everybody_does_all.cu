// wrong: every thread does all elements
// loses: limit
// says: the result is right, but work.maximum is

extern "C" __global__ void triple(const int *in, int *out) {
  int all = gridDim.x * blockDim.x;
  for (int k = 0; k < all; k++) out[k] = 3 * in[k];
}
