// right: one warp looks at the vertices of all

#define FINE 0
#define TORN 1
#define ORPHAN 2

extern "C" __global__ void check_levels(const int *offsets, const int *neighbours,
                                        const int *level, int vertices, int source,
                                        int *verdict) {
  if (blockIdx.x > 0 || threadIdx.x >= warpSize) return;
  for (int v = threadIdx.x; v < vertices; v += warpSize) {
    int own = level[v];
    bool torn = false;
    bool parent = v == source || own < 0;
    int end = offsets[v + 1];
    for (int e = offsets[v]; e < end; e++) {
      int other = level[neighbours[e]];
      if ((other < 0) != (own < 0)) torn = true;
      if (other - own > 1 || own - other > 1) torn = true;
      if (other >= 0 && other == own - 1) parent = true;
    }
    verdict[v] = torn ? TORN : parent ? FINE : ORPHAN;
  }
}
