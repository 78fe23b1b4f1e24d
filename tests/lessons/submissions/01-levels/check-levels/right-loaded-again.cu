// right: loads in each turn what it needs: a compiler loads it once

// Looks at levels that somebody found, and says which of them cannot be right.
//
// Nobody need search again for that. One thread per vertex walks along the
// vertex's list of neighbours; the levels of the two ends of an edge tell.

// verdict[v], in the order in which they are to be given:
//   TORN    an edge of v is torn: its ends are more than one level apart, or one
//           of them was reached and the other was not.
//   ORPHAN  v was reached, is not the source, and has no parent: no neighbour
//           that was reached, too, and is one level nearer to the source.
//   FINE    neither.
#define FINE 0
#define TORN 1
#define ORPHAN 2

// offsets, neighbours: the graph in compressed sparse rows. The neighbours of v
//           begin at neighbours[offsets[v]]; those of v + 1 follow.
// level[v]: distance from the source, as it is claimed; -1 if v was not reached.
extern "C" __global__ void check_levels(const int *offsets, const int *neighbours,
                                        const int *level, int vertices, int source,
                                        int *verdict) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices) return;
  bool torn = false, parent = v == source || level[v] < 0;
  for (int e = offsets[v]; e < offsets[v + 1]; e++) {
    if ((level[neighbours[e]] < 0) != (level[v] < 0)) torn = true;
    if (level[neighbours[e]] - level[v] > 1 || level[v] - level[neighbours[e]] > 1) torn = true;
    if (level[neighbours[e]] >= 0 && level[neighbours[e]] == level[v] - 1) parent = true;
  }
  verdict[v] = torn ? TORN : parent ? FINE : ORPHAN;
}
