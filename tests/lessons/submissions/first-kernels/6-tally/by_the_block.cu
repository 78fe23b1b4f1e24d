// right: counts in shared memory first, then once for the block

extern "C" __global__ void tally(const int *in, int n, int bound, int *count) {
  __shared__ int mine;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int hit = i < n && in[i] > bound;
  int hits = __syncthreads_count(hit);
  if (threadIdx.x == 0) mine = hits;
  if (threadIdx.x == 0) atomicAdd(count, mine);
}
