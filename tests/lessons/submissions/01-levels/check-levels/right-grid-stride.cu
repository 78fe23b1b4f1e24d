// right: a grid-stride loop that counts torn edges and parents

// One walk, the number of torn edges and of parents counted.
#define FINE 0
#define TORN 1
#define ORPHAN 2

extern "C" __global__ void check_levels(const int *offsets, const int *neighbours,
                                        const int *level, int vertices, int source,
                                        int *verdict) {
  int threads = gridDim.x * blockDim.x;
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < vertices; v += threads) {
    const int *list = neighbours + offsets[v];
    int degree = offsets[v + 1] - (list - neighbours);
    int mine = level[v], torn_edges = 0, parents = 0;
    for (int i = 0; i < degree; ++i) {
      int theirs = level[list[i]];
      bool both = mine >= 0 && theirs >= 0;
      bool neither = mine < 0 && theirs < 0;
      torn_edges += !(neither || (both && abs(mine - theirs) <= 1));
      parents += both && theirs + 1 == mine;
    }
    if (torn_edges > 0) {
      verdict[v] = TORN;
    } else if (mine >= 0 && v != source && parents == 0) {
      verdict[v] = ORPHAN;
    } else {
      verdict[v] = FINE;
    }
  }
}
