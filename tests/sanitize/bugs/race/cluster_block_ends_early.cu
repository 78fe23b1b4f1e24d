// Blocks add to the bins of their cluster's first block, which must not end before.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __cluster_dims__(4) __global__ void cluster_block_ends_early(const int *in, int *out) {
  __shared__ int first[32];
  cg::cluster_group cluster = cg::this_cluster();
  first[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  cluster.sync();
  unsigned next = cluster.block_rank() ^ 1;
  int found = cluster.map_shared_rank(first, next)[31 - threadIdx.x];  // BUG
#ifndef BUGGY
  cluster.sync();
#endif
  out[blockIdx.x * blockDim.x + threadIdx.x] = found;
}
