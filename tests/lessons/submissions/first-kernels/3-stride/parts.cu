// right: each thread has a part in one piece: right, though it touches more sectors

extern "C" __global__ void clamp(const int *in, int n, int *out) {
  int all = gridDim.x * blockDim.x;
  int each = (n + all - 1) / all;
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  int last = min(first + each, n);
  for (int i = first; i < last; i++) out[i] = in[i] < 0 ? 0 : in[i];
}
