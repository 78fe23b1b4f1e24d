// wrong: levels in 16 bits
// loses: result
// says: is wrong

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
  short own = level[v];
  bool torn = false;
  // The source and what was not reached need no parent.
  bool parent = v == source || own < 0;
  int end = offsets[v + 1];
  for (int e = offsets[v]; e < end; e++) {
    int other = level[neighbours[e]];
    if ((other < 0) != (own < 0)) torn = true;
    if (other - own > 1 || own - other > 1) torn = true;
    // At level 0, one level nearer would be -1, which is no level.
    if (other >= 0 && other == own - 1) parent = true;
  }
  verdict[v] = torn ? TORN : parent ? FINE : ORPHAN;
}
