// __syncwarp orders the lanes of a warp, but these values go from warp to warp.
extern "C" __global__ void syncwarp_for_a_block(const int *in, int *out) {
  __shared__ int box[64];
  int t = threadIdx.x;
  box[t] = in[t];  // BUG
#ifdef BUGGY
  __syncwarp();
#else
  __syncthreads();
#endif
  out[t] = box[(t + 32) % 64];  // BUG
}
