// wrong: thread 0 adds up its block, and no lane hands anything over
// loses: limit
// says: the result is right, but load_requests is

extern "C" __global__ void sum(const int *in, int count, int *out) {
  if (threadIdx.x > 0) return;
  int begin = blockIdx.x * blockDim.x;
  int end = min(begin + (int)blockDim.x, count);
  int total = 0;
  for (int i = begin; i < end; i++) total += in[i];
  out[blockIdx.x] = total;
}
