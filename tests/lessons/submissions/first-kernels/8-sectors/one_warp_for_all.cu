// wrong: few sectors, and one warp does it all
// loses: limit
// says: work.maximum is

#define EACH 8

extern "C" __global__ void increase(const int *in, int *out) {
  int all = gridDim.x * blockDim.x * EACH;
  if (blockIdx.x > 0 || threadIdx.x >= 32) return;
  for (int i = threadIdx.x; i < all; i += 32) out[i] = in[i] + 1;
}
