// right: stores the second level at the first sibling, and the other one over it if a parent comes

extern "C" __global__ void two_levels(const int *offsets, const int *neighbours,
                                      volatile int *level, const int *queue, int queue_size,
                                      int next_depth) {
  int threads = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  #pragma unroll 1
  for (; i < queue_size; i += threads) {
    int v = queue[i];
    int end = offsets[v + 1];
    // Both are of this vertex, and nothing is left of the thread's last one.
    bool parent = false;
    #pragma unroll 1
    for (int e = offsets[v]; e < end && !parent; e++) {
      int found = level[neighbours[e]];
      if (found == next_depth - 1) {
        level[v] = next_depth;
        parent = true;
      }
      // A sibling ends nothing: a parent may stand behind it.
      if (found == next_depth && !parent) level[v] = next_depth + 1;
    }
  }
}
