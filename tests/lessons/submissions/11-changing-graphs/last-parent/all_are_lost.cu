// wrong: every suspect loses its level
// loses: result
// says: level[3] is wrong

extern "C" __global__ void decide(const int *offsets, const int *neighbours, int *level,
                                  int *suspects, int *sizes, int *mark, int vertices,
                                  int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= sizes[depth]) return;
  int v = suspects[depth * vertices + i];
  bool parent = false;
  if (parent) return;
  level[v] = -1;
  for (int e = offsets[v]; e < offsets[v + 1]; e++) {
    int w = neighbours[e];
    if (level[w] == depth + 1 && atomicExch(&mark[w], 1) == 0) {
      suspects[(depth + 1) * vertices + atomicAdd(&sizes[depth + 1], 1)] = w;
    }
  }
}
