// Weights are optional: the host passes null for a graph without them.
extern "C" __global__ void null_pointer(const int *weights, int *out) {
#ifdef BUGGY
  out[threadIdx.x] = weights[threadIdx.x];  // BUG
#else
  out[threadIdx.x] = weights != nullptr ? weights[threadIdx.x] : 1;
#endif
}
