// wrong: one thread decides all suspects
// loses: limit
// says: the result is right, but work.maximum is

extern "C" __global__ void decide(const int *offsets, const int *neighbours, int *level,
                                  int *suspects, int *sizes, int *mark, int vertices,
                                  int depth) {
  if (blockIdx.x + threadIdx.x > 0) return;
  for (int i = 0; i < sizes[depth]; i++) {
    int v = suspects[depth * vertices + i];
    bool parent = false;
    for (int e = offsets[v]; e < offsets[v + 1]; e++) {
      if (level[neighbours[e]] == depth - 1) parent = true;
    }
    if (parent) continue;
    level[v] = -1;
    for (int e = offsets[v]; e < offsets[v + 1]; e++) {
      int w = neighbours[e];
      if (level[w] != depth + 1 || mark[w]) continue;
      mark[w] = 1;
      suspects[(depth + 1) * vertices + sizes[depth + 1]++] = w;
    }
  }
}
