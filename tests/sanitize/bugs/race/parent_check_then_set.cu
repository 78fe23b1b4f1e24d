// Several vertices find the same child; one must become its parent and count it.
extern "C" __global__ void parent_check_then_set(int *parent, int *found) {
  int u = blockIdx.x * blockDim.x + threadIdx.x, v = u % 4;
#ifdef BUGGY
  if (parent[v] == -1) {  // BUG
    parent[v] = u;  // BUG
    atomicAdd(found, 1);
  }
#else
  if (atomicCAS(&parent[v], -1, u) == -1) atomicAdd(found, 1);
#endif
}
