// wrong: gives each thread a part, and loses the rest
// loses: result
// says: out[256] is wrong

extern "C" __global__ void clamp(const int *in, int n, int *out) {
  int all = gridDim.x * blockDim.x;
  int each = n / all;
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  for (int i = first; i < first + each; i++) out[i] = in[i] < 0 ? 0 : in[i];
}
