// right: the length of what is left is halved

__device__ int place_of(const int *prefix, int size, int e) {
  const int *first = prefix;
  for (int left = size; left > 1;) {
    int half = left / 2;
    if (first[half] <= e) {
      first += half;
      left -= half;
    } else {
      left = half;
    }
  }
  return first - prefix;
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
