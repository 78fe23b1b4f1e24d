#define EVERY_LANE 0xffffffffu
#define MOST_WARPS 32
extern "C" __global__ void gather(const int *level, int vertices, int depth, int *queue,
                                  int *size) {
  __shared__ int found_here;
  __shared__ int start;
  int threads = gridDim.x * blockDim.x;
  #pragma unroll 1
  for (int first = blockIdx.x * blockDim.x; first < vertices; first += threads) {
    int v = first + threadIdx.x;
    if (threadIdx.x == 0) found_here = 0;
    __syncthreads();
    if (v < vertices) {
      bool found = level[v] == depth;
      int place = found ? atomicAdd(&found_here, 1) : 0;
      __syncthreads();
      if (threadIdx.x == 0) start = atomicAdd(size, found_here);
      __syncthreads();
      if (found) queue[start + place] = v;
    }
    __syncthreads();
  }
}
