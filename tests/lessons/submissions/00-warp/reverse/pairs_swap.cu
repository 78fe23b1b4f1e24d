// wrong: forgets the middle of an odd number: each thread of the lower half moves a pair
// loses: result
// says: out[150] is wrong

extern "C" __global__ void reverse(const int *in, int *out) {
  extern __shared__ int tile[];
  int first = blockIdx.x * blockDim.x;
  int mine = threadIdx.x, opposite = blockDim.x - 1 - threadIdx.x;
  tile[mine] = in[first + mine];
  __syncthreads();
  if (mine < blockDim.x / 2) {
    out[first + mine] = tile[opposite];
    out[first + opposite] = tile[mine];
  }
}
