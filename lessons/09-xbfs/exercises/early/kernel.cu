// A bottom-up pass by one block whose warps take turns, and that counts what it finds early.
//
// A GPU promises no order of warps. Here barriers make one, so that it can be chosen.

// turn[w]:    when warp w does its work; warps with the same number do it together, in step.
// behind:     1 puts the store of a vertex that has a parent behind its loop.
// early[0]:   receives how many vertices are found early: an atomic for each of them.
extern "C" __global__ void in_turns(const int *offsets, const int *neighbours, volatile int *level,
                                    const int *queue, int queue_size, int next_depth,
                                    const int *turn, int turns, int behind, int *early) {
  #pragma unroll 1
  for (int now = 0; now < turns; now++) {
    if (turn[threadIdx.x / warpSize] == now && threadIdx.x < queue_size) {
      int v = queue[threadIdx.x];
      int end = offsets[v + 1];
      bool parent = false;
      bool sibling = false;
      #pragma unroll 1
      for (int e = offsets[v]; e < end && !parent; e++) {
        int found = level[neighbours[e]];
        if (found == next_depth - 1) {
          if (!behind) level[v] = next_depth;
          parent = true;
        }
        if (found == next_depth) sibling = true;
      }
      __syncwarp();
      if (parent && behind) level[v] = next_depth;
      if (!parent && sibling) {
        level[v] = next_depth + 1;
        atomicAdd(early, 1);
      }
    }
    __syncthreads();
  }
}
