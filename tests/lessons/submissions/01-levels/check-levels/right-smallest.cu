// right: keeps only the least and the greatest level of the neighbours

// The nearest and the farthest neighbour say all.
extern "C" __global__ void check_levels(const int *offsets, const int *neighbours,
                                        const int *level, int vertices, int source,
                                        int *verdict) {
  int v = threadIdx.x + blockDim.x * blockIdx.x;
  if (v < vertices) {
    int own = level[v], low = own, high = own;
    int e = offsets[v];
    while (e < offsets[v + 1]) {
      int other = level[neighbours[e++]];
      low = min(low, other);
      high = max(high, other);
    }
    // Where somebody was not reached, nobody here was.
    bool torn = low < 0 ? high >= 0 : high > own + 1 || low < own - 1;
    bool alone = own >= 0 && low == own && v != source;
    verdict[v] = torn ? 1 : alone ? 2 : 0;
  }
}
