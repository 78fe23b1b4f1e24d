// wrong: steps of powers of two that lead behind the end
// loses: fault
// says: but prefix has

__device__ int place_of(const int *prefix, int size, int e) {
  int low = 0;
  for (int half = 512; half > 0; half /= 2)
    if (prefix[low + half] <= e) low += half;
  return low;
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
