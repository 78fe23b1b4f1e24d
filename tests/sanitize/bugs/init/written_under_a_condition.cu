// Keeps the positive elements, zero for the others, and turns the block's part around.
extern "C" __global__ void written_under_a_condition(const int *in, int *scratch, int *out) {
  int first = blockIdx.x * blockDim.x, t = threadIdx.x;
#ifdef BUGGY
  if (in[first + t] > 0) scratch[first + t] = in[first + t];
#else
  scratch[first + t] = in[first + t] > 0 ? in[first + t] : 0;
#endif
  __syncthreads();
  out[first + t] = scratch[first + blockDim.x - 1 - t];  // BUG
}
