// A bottom-up pass that finds vertices of two levels, as Algorithm 3 of XBFS does.
//
// Who has a neighbour at distance next_depth - 1, a parent, belongs to next_depth. Who has
// none among all its neighbours, but sees one at next_depth, belongs to the level after it,
// and gets next_depth + 1 at once: it is found early. Two mistakes are in it. They give
// vertices a level that is too far away.

// level[v]: distance from the source, -1 where not visited yet. Some vertices have
//           next_depth before the launch: the pass before has found them early. Whoever
//           sees one of these, and no parent, must be found early.
// queue:    the vertices not visited yet. There may be more of them than threads.
// A vertex stops looking at its first parent.

extern "C" __global__ void two_levels(const int *offsets, const int *neighbours,
                                      volatile int *level, const int *queue, int queue_size,
                                      int next_depth) {
  int threads = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // BEGIN SOLUTION
  //| bool parent = false;
  //| bool sibling = false;
  //| #pragma unroll 1
  //| for (; i < queue_size; i += threads) {
  //|   int v = queue[i];
  //|   int end = offsets[v + 1];
  //|   parent = false;
  //|   #pragma unroll 1
  //|   for (int e = offsets[v]; e < end && !parent; e++) {
  //|     int found = level[neighbours[e]];
  //|     if (found == next_depth - 1) {
  //|       level[v] = next_depth;
  //|       parent = true;
  //|     }
  //|     if (found == next_depth) {
  //|       sibling = true;
  //|       break;
  //|     }
  //|   }
  //|   if (!parent && sibling) level[v] = next_depth + 1;
  //| }
  #pragma unroll 1
  for (; i < queue_size; i += threads) {
    int v = queue[i];
    int end = offsets[v + 1];
    // Both are of this vertex, and nothing is left of the thread's last one.
    bool parent = false;
    bool sibling = false;
    #pragma unroll 1
    for (int e = offsets[v]; e < end && !parent; e++) {
      int found = level[neighbours[e]];
      if (found == next_depth - 1) {
        level[v] = next_depth;
        parent = true;
      }
      // A sibling ends nothing: a parent may stand behind it.
      if (found == next_depth) sibling = true;
    }
    if (!parent && sibling) level[v] = next_depth + 1;
  }
  // END SOLUTION
}
