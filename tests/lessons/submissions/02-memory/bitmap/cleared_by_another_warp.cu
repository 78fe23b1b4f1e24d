// wrong: wrong under one schedule only
// loses: schedule
// says: right in lockstep, but not in the order

extern "C" __global__ void unvisited_bits(const int *level, int vertices, unsigned *bits) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int words = (vertices + 31) / 32;
  for (int w = threads - 1 - thread; w < words; w += threads) bits[w] = 0;
  __syncthreads();
  for (int v = thread; v < vertices; v += threads) {
    if (level[v] < 0) atomicOr(&bits[v / 32], 1u << (v % 32));
  }
}
