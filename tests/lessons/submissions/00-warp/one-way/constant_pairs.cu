// right: pairs of numbers in constant memory, and a loop that counts down

__constant__ uint2 kinds[4] = {{5, 1}, {9, 3}, {13, 5}, {17, 7}};

extern "C" __global__ void mix(const unsigned *in, int count, int turns,
                               unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned x = in[i];
  uint2 kind = kinds[i & 3];
  while (turns-- > 0) x = kind.x * x + kind.y;
  out[i] = x;
}
