// wrong: forgets the last partial warp
// loses: result
// says: the parts add up to

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int sum = 0;
  int turns = vertices / threads;
  for (int turn = 0; turn < turns; turn++) {
    int v = turn * threads + thread;
    if (level[v] == depth) sum += offsets[v + 1] - offsets[v];
  }
  part[thread] = sum;
}
