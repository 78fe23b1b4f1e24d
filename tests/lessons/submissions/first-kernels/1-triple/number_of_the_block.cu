// wrong: takes the block for the thread
// loses: result
// says: out[1] is wrong

extern "C" __global__ void triple(const int *in, int *out) {
  int i = blockIdx.x;
  out[i] = 3 * in[i];
}
