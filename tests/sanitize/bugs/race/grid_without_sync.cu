// Two steps of a stencil in one cooperative kernel: between them all blocks must meet.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void grid_without_sync(const int *in, int *scratch, int *out, int n) {
  cg::grid_group grid = cg::this_grid();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  scratch[i] = in[i] + in[(i + 1) % n];  // BUG
#ifdef BUGGY
  __syncthreads();
#else
  grid.sync();
#endif
  out[i] = scratch[i] + scratch[(i + 1) % n];  // BUG
}
