// wrong: walks along every list twice and loads its own level each time
// loses: limit
// says: merged_load_requests is

#define FINE 0
#define TORN 1
#define ORPHAN 2

__device__ bool torn(const int *offsets, const int *neighbours, const int *level, int v) {
  bool any = false;
  int end = offsets[v + 1];
  for (int e = offsets[v]; e < end; e++) {
    int other = level[neighbours[e]];
    if ((other < 0) != (level[v] < 0) || abs(other - level[v]) > 1) any = true;
  }
  return any;
}

__device__ bool orphan(const int *offsets, const int *neighbours, const int *level, int v) {
  if (level[v] < 0) return false;
  bool parent = false;
  int end = offsets[v + 1];
  for (int e = offsets[v]; e < end; e++) {
    int other = level[neighbours[e]];
    if (other >= 0 && other + 1 == level[v]) parent = true;
  }
  return !parent;
}

extern "C" __global__ void check_levels(const int *offsets, const int *neighbours,
                                        const int *level, int vertices, int source,
                                        int *verdict) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  int result = FINE;
  if (v != source && orphan(offsets, neighbours, level, v)) result = ORPHAN;
  if (torn(offsets, neighbours, level, v)) result = TORN;
  verdict[v] = result;
}
