// Prepares a search: all levels are -1, but the source's is 0; then the frontier is gathered.
extern "C" __global__ void source_without_level(int *level, int *frontier, int source) {
  int v = threadIdx.x;
#ifdef BUGGY
  if (v != source) level[v] = -1;
#else
  level[v] = v == source ? 0 : -1;
#endif
  __syncthreads();
  frontier[v] = level[v] == 0 ? 1 : 2;  // BUG
}
