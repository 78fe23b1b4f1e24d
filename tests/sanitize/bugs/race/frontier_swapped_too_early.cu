// Two levels of a search in one block: the old frontier is emptied while others still read it.
extern "C" __global__ void frontier_swapped_too_early(const int *child, int *reached) {
  __shared__ int frontier[32];
  __shared__ int next[32];
  int t = threadIdx.x;
  frontier[t] = t == 0;
  next[t] = 0;
  __syncthreads();
  for (int level = 0; level < 3; level++) {
    for (int u = 0; u < 32; u++) {
      if (frontier[u] && child[u] == t) next[t] = 1;  // BUG
    }
#ifndef BUGGY
    __syncthreads();
#endif
    frontier[t] = next[t];  // BUG
    __syncthreads();
  }
  reached[t] = next[t];
}
