// right: pointers, and compare-and-swap instead of a test and a store

#include "csr.cuh"

// Claims each vertex by an atomic: more than is needed, but nothing is written twice.
extern "C" __global__ void status_array(const offset_t *offsets, const int *neighbours,
                                        int *level, int vertices, int depth,
                                        int *found) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= vertices || level[v] != depth) return;
  const int *list = neighbours + offsets[v];
  const int *end = neighbours + offsets[v + 1];
  int claimed = 0;
  for (; list != end; ++list) claimed += atomicCAS(&level[*list], -1, depth + 1) == -1;
  if (claimed > 0) atomicExch(found, 1);
}
