// wrong: hard-coded answer
// loses: result
// says: out[0] is wrong

extern "C" __global__ void sum(const int *in, int count, int *out) {
  if (threadIdx.x == 0) out[blockIdx.x] = 528;
}
