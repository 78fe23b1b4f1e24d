// One level of a search: all neighbours of the frontier that have no level yet
// get the level `depth`. All other levels stay as they are.
//
// Groups of `width` neighbouring threads share a vertex. Group 0 of the grid
// takes frontier[0], group 1 takes frontier[1], and so on; where there are
// fewer groups than vertices, each goes on by as many places as the grid has
// groups. In a turn the lanes of a group look at neighbouring edges.
//
// width is 1, 2, 4, 8, 16 or 32. Blocks are whole groups.

// The neighbours of u are neighbours[offsets[u]] up to, not including,
// neighbours[offsets[u + 1]].
// frontier: its `size` vertices.
// level[v]: -1 where v has none yet. Several threads may find the same vertex:
//           they may all write the level, which is the same one.
extern "C" __global__ void expand(const int *offsets, const int *neighbours,
                                  const int *frontier, int size, int width,
                                  int depth, int *level) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  // BEGIN SOLUTION
  //| // Your code here: which group is this thread in, and which lane of it?
  int lane = thread % width;
  for (int i = thread / width; i < size; i += threads / width) {
    int u = frontier[i];
    int end = offsets[u + 1];
    for (int e = offsets[u] + lane; e < end; e += width) {
      int v = neighbours[e];
      if (level[v] < 0) level[v] = depth;
    }
  }
  // END SOLUTION
}
