// wrong: forgets the block: every block does the first elements
// loses: result
// says: out[64] is wrong

extern "C" __global__ void triple(const int *in, int *out) {
  int i = threadIdx.x;
  out[i] = 3 * in[i];
}
