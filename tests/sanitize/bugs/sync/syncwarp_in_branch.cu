// The lower half of each warp hands values on through shared memory.
extern "C" __global__ void syncwarp_in_branch(const int *in, int *out) {
  __shared__ int box[64];
  int t = threadIdx.x, lane = t % 32;
  box[t] = in[t];
  if (lane < 16) {
#ifdef BUGGY
    __syncwarp();  // BUG
#else
    __syncwarp(0x0000ffff);
#endif
    out[t] = box[t ^ 1];
  } else {
    out[t] = 0;
  }
}
