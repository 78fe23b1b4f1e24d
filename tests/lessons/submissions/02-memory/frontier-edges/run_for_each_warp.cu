// right: a run for each warp, in place of one for each thread

extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  // Each warp has a run of its own, of whole warps' widths; its lanes are neighbours.
  int lane = threadIdx.x % warpSize;
  int warp = thread / warpSize;
  int warps = threads / warpSize;
  int widths = (vertices + warpSize - 1) / warpSize;
  int each = (widths + warps - 1) / warps;
  int sum = 0;
  for (int turn = 0; turn < each; turn++) {
    int v = (warp * each + turn) * warpSize + lane;
    if (v < vertices && level[v] == depth) sum += offsets[v + 1] - offsets[v];
  }
  part[thread] = sum;
}
