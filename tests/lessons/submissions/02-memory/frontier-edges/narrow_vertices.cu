// wrong: numbers of vertices in 16 bits
// loses: fault
// says: reads

// How many edges leave the frontier? A search that may go bottom-up asks this
// before each level.
//
// The sum may be shared out in any way: what the parts add up to is what counts.
// As it is, the kernel is right, and each of its lanes reads a sector of its own
// to use four bytes of it. Bring load_sectors under the limits.

// offsets: vertex v has offsets[v + 1] - offsets[v] edges.
// level:   level[v] is depth for the vertices of the frontier.
// part:    receives a sum for each thread of the grid, 0 from those without a vertex;
//          the host adds them up.
extern "C" __global__ void frontier_edges(const int *offsets, const int *level, int vertices,
                                          int depth, int *part) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  int sum = 0;
  // Neighbouring vertices for neighbouring threads, in each turn.
  for (short v = thread; v < vertices; v += threads) {
    if (level[v] == depth) sum += offsets[v + 1] - offsets[v];
  }
  part[thread] = sum;
}
