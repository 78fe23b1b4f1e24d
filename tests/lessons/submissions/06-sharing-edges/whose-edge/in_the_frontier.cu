// wrong: the place for the vertex
// loses: result
// says: far[0] is wrong

__device__ int place_of(const int *prefix, int size, int e) {
  int low = 0;
  int high = size;
  while (low + 1 < high) {
    int middle = (low + high) / 2;
    if (prefix[middle] <= e) low = middle;
    else high = middle;
  }
  return low;
}

extern "C" __global__ void whose_edge(const int *offsets, const int *neighbours,
                                      const int *frontier, const int *prefix, int size,
                                      int edges, int *place, int *far) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < edges) {
    int i = place_of(prefix, size, e);
    place[e] = i;
    far[e] = neighbours[offsets[i] + e - prefix[i]];
  }
}
