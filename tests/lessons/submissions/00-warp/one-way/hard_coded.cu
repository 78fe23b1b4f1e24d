// wrong: hard-coded answer
// loses: result
// says: is wrong

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned first[8] = {6, 21, 44, 75, 26, 57, 96, 143};
  out[i] = first[i % 8];
}
