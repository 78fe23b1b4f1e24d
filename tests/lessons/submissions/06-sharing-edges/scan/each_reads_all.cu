// wrong: every thread reads all elements before its own
// loses: limit
// says: load_requests is

extern "C" __global__ void scan(const int *in, int count, int *out, int *totals) {
  int first = blockIdx.x * blockDim.x;
  int i = first + threadIdx.x;
  int sum = 0;
  for (int e = first; e < min(i, count); e++) sum += in[e];
  if (i < count) out[i] = sum;
  if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = sum + (i < count ? in[i] : 0);
}
