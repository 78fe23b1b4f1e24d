// Lanes of one warp exchange values through shared memory.
extern "C" __global__ void lanes_exchange(const int *in, int *out) {
  __shared__ int box[32];
  int lane = threadIdx.x;
  box[lane] = in[lane];  // BUG
#ifndef BUGGY
  __syncwarp();
#endif
  out[lane] = box[lane ^ 1];  // BUG
}
