// One bit a vertex: threads of a word share it.
extern "C" __global__ void visited_bits(const int *vertices, unsigned *visited) {
  int v = vertices[threadIdx.x];
#ifdef BUGGY
  visited[v / 32] |= 1u << v % 32;  // BUG
#else
  atomicOr(&visited[v / 32], 1u << v % 32);
#endif
}
