// wrong: counts a warp too many in blocks of 31 warps
// loses: sanitizer
// says: warp_sums

// Every block adds up its part of `in`: out[b] is the sum of what block b has.
//
// Lanes of a warp hand over their registers by shuffles, without shared memory
// and without a barrier. Only warps need both to hand over their sums.
// Blocks have up to 1024 threads, whole warps always. The last block may have
// more threads than elements.

#define EVERY_LANE 0xffffffffu

// The sum of `value` over all lanes of the warp, which call together; lane 0
// gets it, what the others get does not matter.
__device__ int warp_sum(int value) {
  // After the turn with distance d, a lane has the sum of 32 / d lanes, and
  // lanes below d are those that are still needed.
  for (int d = warpSize / 2; d > 0; d /= 2)
    value += __shfl_down_sync(EVERY_LANE, value, d);
  return value;
}

extern "C" __global__ void sum(const int *in, int count, int *out) {
  __shared__ int warp_sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  // Lanes behind the end take part with what changes no sum.
  int of_warp = warp_sum(i < count ? in[i] : 0);
  if (lane == 0) warp_sums[warp] = of_warp;
  __syncthreads();
  // A block has at most as many warps as a warp has lanes.
  if (warp == 0) {
    int warps = blockDim.x / (warpSize - 1);
    int of_block = warp_sum(lane < warps ? warp_sums[lane] : 0);
    if (lane == 0) out[blockIdx.x] = of_block;
  }
}
