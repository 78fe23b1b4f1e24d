// wrong: as it was: the elements of a thread lie together
// loses: limit
// says: the result is right, but load_sectors is

#define EACH 8

extern "C" __global__ void increase(const int *in, int *out) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
  for (int k = 0; k < EACH; k++) out[first + k] = in[first + k] + 1;
}
