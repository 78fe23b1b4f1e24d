// Thread 0 looks up where its block begins and tells the others.
extern "C" __global__ void broadcast_without_barrier(const int *starts, int *out) {
  __shared__ int base;
  if (threadIdx.x == 0) base = starts[blockIdx.x];  // BUG
#ifndef BUGGY
  __syncthreads();
#endif
  out[blockIdx.x * blockDim.x + threadIdx.x] = base + threadIdx.x;  // BUG
}
