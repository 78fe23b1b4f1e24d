// One level of a repair after edges were deleted: a thread for each suspect of this
// level, a vertex that may have lost its last parent. Parents of v are neighbours one level
// nearer. The graph is as it is after the deletions, each edge in both directions.
//
// A suspect that still has a parent keeps its level. Any other loses it: level[v] becomes -1,
// and its children, neighbours one level further, become suspects of the next level, each
// once. The levels before this one are decided.
//
// level[v]:     distance from the source; -1 where not reached, or where it was lost.
// suspects:     room for all vertices, for each level; those of level d begin at
//               suspects[d * vertices].
// sizes[d]:     how many suspects level d has; heads of deleted edges are there already.
// mark[v]:      1 if v is, or was, a suspect; else 0.
//
// It takes some vertices for lost that are not, and keeps others that are.

extern "C" __global__ void decide(const int *offsets, const int *neighbours, int *level,
                                  int *suspects, int *sizes, int *mark, int vertices,
                                  int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= sizes[depth]) return;
  int v = suspects[depth * vertices + i];
  bool parent = false;
  for (int e = offsets[v]; e < offsets[v + 1]; e++) {
    parent = level[neighbours[e]] < depth;
  }
  if (parent) return;
  level[v] = -1;
  for (int e = offsets[v]; e < offsets[v + 1]; e++) {
    int w = neighbours[e];
    if (level[w] == depth + 1 && atomicExch(&mark[w], 1) == 0) {
      suspects[(depth + 1) * vertices + atomicAdd(&sizes[depth + 1], 1)] = w;
    }
  }
}
