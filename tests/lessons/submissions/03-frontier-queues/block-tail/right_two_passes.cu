// right: counts all rounds first, and adds once for all of them

// One addition for a block and all of its rounds.

extern "C" __global__ void gather(const int *level, int vertices, int depth, int *queue,
                                  int *size) {
  __shared__ int tail;
  if (threadIdx.x == 0) tail = 0;
  __syncthreads();
  int threads = gridDim.x * blockDim.x;
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  int own = 0;
  for (int v = first; v < vertices; v += threads) own += level[v] == depth;
  int place = atomicAdd(&tail, own);
  __syncthreads();
  if (threadIdx.x == 0) tail = atomicAdd(size, tail);
  __syncthreads();
  place += tail;
  for (int v = first; v < vertices; v += threads) {
    if (level[v] == depth) queue[place++] = v;
  }
}
