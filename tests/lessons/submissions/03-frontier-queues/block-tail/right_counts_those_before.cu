// right: every thread counts those before it, one by one

extern "C" __global__ void gather(const int *level, int vertices, int depth, int *queue,
                                  int *size) {
  __shared__ bool has[1024];
  __shared__ int start;
  int threads = gridDim.x * blockDim.x;
  for (int first = blockIdx.x * blockDim.x; first < vertices; first += threads) {
    int v = first + threadIdx.x;
    bool found = v < vertices && level[v] == depth;
    has[threadIdx.x] = found;
    __syncthreads();
    if (threadIdx.x == 0) {
      int total = 0;
      for (int i = 0; i < blockDim.x; i++) total += has[i];
      if (total > 0) start = atomicAdd(size, total);
    }
    __syncthreads();
    int place = 0;
    for (int i = 0; i < threadIdx.x; i++) place += has[i];
    if (found) queue[start + place] = v;
    __syncthreads();
  }
}
