// Each thread adds its element and that of the next thread of its block; the
// next one of the last thread is thread 0 of the same block.
//
// `tile` is in shared memory: one for each block, and all of its threads see
// it. Each element of `in` is to be read once. Blocks have up to 256 threads;
// there are as many threads as elements.

extern "C" __global__ void together(const int *in, int *out) {
  __shared__ int tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  //| // Your code here: write into tile, wait, read from tile.
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x] + tile[(threadIdx.x + 1) % blockDim.x];
  // END SOLUTION
}
