// wrong: thread 0 does the work of its block
// loses: limit
// says: the result is right, but work.maximum is

extern "C" __global__ void reverse(const int *in, int *out) {
  if (threadIdx.x > 0) return;
  int first = blockIdx.x * blockDim.x;
  for (int i = 0; i < blockDim.x; i++) out[first + i] = in[first + blockDim.x - 1 - i];
}
