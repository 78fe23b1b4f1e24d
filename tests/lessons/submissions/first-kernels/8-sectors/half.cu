// wrong: half as far apart: two neighbours in one piece
// loses: limit
// says: load_sectors is

#define EACH 8

extern "C" __global__ void increase(const int *in, int *out) {
  int first = blockIdx.x * blockDim.x * EACH + threadIdx.x * 2;
  for (int k = 0; k < EACH; k++) {
    int i = first + k / 2 * 2 * blockDim.x + k % 2;
    out[i] = in[i] + 1;
  }
}
