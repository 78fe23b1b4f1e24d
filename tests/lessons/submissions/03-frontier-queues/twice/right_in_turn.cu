// right: the threads of a block come one after the other

extern "C" __global__ void expand(const int *offsets, const int *neighbours, int *level,
                                  const int *frontier, int frontier_size, int *next,
                                  int *next_size, int next_depth) {
  extern __shared__ int queue[];
  __shared__ int size;
  __shared__ int start;
  if (threadIdx.x == 0) size = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int turn = 0; turn < blockDim.x; turn++) {
    if (turn == threadIdx.x && i < frontier_size) {
      int u = frontier[i];
      for (int e = offsets[u]; e < offsets[u + 1]; e++) {
        int v = neighbours[e];
        if (atomicCAS(&level[v], -1, next_depth) == -1) queue[size++] = v;
      }
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) start = atomicAdd(next_size, size);
  __syncthreads();
  for (int k = threadIdx.x; k < size; k += blockDim.x) next[start + k] = queue[k];
}
