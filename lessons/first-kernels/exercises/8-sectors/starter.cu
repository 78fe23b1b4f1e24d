// out[i] = in[i] + 1 for all elements. Each thread has EACH of them, which is
// exactly enough for all.
//
// The kernel is right. It touches eight times as many sectors as it must.

#define EACH 8

extern "C" __global__ void increase(const int *in, int *out) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
  for (int k = 0; k < EACH; k++) out[first + k] = in[first + k] + 1;
}
