// wrong: one thread walks over all edges
// loses: limit
// says: work.maximum is

extern "C" __global__ void whose_edge(const int *offsets, const int *neighbours,
                                      const int *frontier, const int *prefix, int size,
                                      int edges, int *place, int *far) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  int i = 0;
  for (int e = 0; e < edges; e++) {
    while (i + 1 < size && prefix[i + 1] <= e) i++;
    place[e] = i;
    far[e] = neighbours[offsets[frontier[i]] + e - prefix[i]];
  }
}
