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
  // Your code here.
  return value;
}

extern "C" __global__ void sum(const int *in, int count, int *out) {
  __shared__ int warp_sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % warpSize;
  int warp = threadIdx.x / warpSize;
  // Your code here: at the end, one thread stores the block's sum.
}
