// wrong: a thread for each vertex, which has all of its edges
// loses: limit
// says: work.maximum is

extern "C" __global__ void whose_edge(const int *offsets, const int *neighbours,
                                      const int *frontier, const int *prefix, int size,
                                      int edges, int *place, int *far) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < size; i += gridDim.x * blockDim.x) {
    int end = i + 1 < size ? prefix[i + 1] : edges;
    for (int e = prefix[i]; e < end; e++) {
      place[e] = i;
      far[e] = neighbours[offsets[frontier[i]] + e - prefix[i]];
    }
  }
}
