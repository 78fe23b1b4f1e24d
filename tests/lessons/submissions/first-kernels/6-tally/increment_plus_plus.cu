// wrong: not atomic: ++ in steps of its own
// loses: result
// says: count[0] is wrong

extern "C" __global__ void tally(const int *in, int n, int bound, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > bound) {
    int before = *count;
    *count = before + 1;
  }
}
