// Each edge adds its weight to its target; targets have several edges.
extern "C" __global__ void scatter(const int *target, const float *weight, float *sum, int edges) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges) return;
#ifdef BUGGY
  sum[target[e]] += weight[e];  // BUG
#else
  atomicAdd(&sum[target[e]], weight[e]);
#endif
}
