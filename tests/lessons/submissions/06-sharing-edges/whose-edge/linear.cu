// wrong: looks at one place after another
// loses: limit
// says: work.maximum is

__device__ int place_of(const int *prefix, int size, int e) {
  int i = 0;
  while (i + 1 < size && prefix[i + 1] <= e) i++;
  return i;
}

extern "C" __global__ void whose_edge(const int *offsets, const int *neighbours,
                                      const int *frontier, const int *prefix, int size,
                                      int edges, int *place, int *far) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < edges) {
    int i = place_of(prefix, size, e);
    place[e] = i;
    far[e] = neighbours[offsets[frontier[i]] + e - prefix[i]];
  }
}
