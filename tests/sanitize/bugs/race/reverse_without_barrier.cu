// Turns a block's part around through shared memory.
extern "C" __global__ void reverse_without_barrier(const int *in, int *out) {
  __shared__ int part[64];
  int first = blockIdx.x * blockDim.x, t = threadIdx.x;
  part[t] = in[first + t];  // BUG
#ifndef BUGGY
  __syncthreads();
#endif
  out[first + t] = part[63 - t];  // BUG
}
