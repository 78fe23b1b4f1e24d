// right: each warp has its part

#define EACH 8

extern "C" __global__ void increase(const int *in, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32;
  int first = (i - lane) * EACH + lane;
  for (int k = 0; k < EACH; k++) out[first + k * 32] = in[first + k * 32] + 1;
}
