// wrong: race: a thread writes its neighbours' verdicts
// loses: sanitizer
// says: race on verdict

#define FINE 0
#define TORN 1
#define ORPHAN 2

// Threads write verdicts of their neighbours, too.
extern "C" __global__ void check_levels(const int *offsets, const int *neighbours,
                                        const int *level, int vertices, int source,
                                        int *verdict) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  bool parent = v == source || level[v] < 0;
  verdict[v] = FINE;
  for (int e = offsets[v]; e < offsets[v + 1]; e++) {
    int w = neighbours[e];
    int apart = abs(level[w] - level[v]);
    if (apart > 1 || (level[w] < 0) != (level[v] < 0)) {
      verdict[v] = TORN;
      verdict[w] = TORN;
    }
    if (level[w] >= 0 && level[w] == level[v] - 1) parent = true;
  }
  if (verdict[v] == FINE && !parent) verdict[v] = ORPHAN;
}
