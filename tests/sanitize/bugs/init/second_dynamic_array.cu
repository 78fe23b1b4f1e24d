// Keys and counts share one piece of dynamic shared memory; only the keys are set.
extern "C" __global__ void second_dynamic_array(const int *in, int *out) {
  extern __shared__ int pool[];
  int *keys = pool, *counts = pool + blockDim.x;
  keys[threadIdx.x] = in[threadIdx.x];
#ifndef BUGGY
  counts[threadIdx.x] = 0;
#endif
  __syncthreads();
  atomicAdd(&counts[keys[threadIdx.x]], 1);  // BUG
  __syncthreads();
  out[threadIdx.x] = counts[threadIdx.x];
}
