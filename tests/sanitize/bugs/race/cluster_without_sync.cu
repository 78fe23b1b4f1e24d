// Each block of a cluster reads what its neighbour has loaded into shared memory.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __cluster_dims__(4) __global__ void cluster_without_sync(const int *in, int *out) {
  __shared__ int tile[32];
  cg::cluster_group cluster = cg::this_cluster();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];  // BUG
#ifndef BUGGY
  cluster.sync();
#endif
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  out[i] = cluster.map_shared_rank(tile, next)[threadIdx.x];  // BUG
  cluster.sync();
}
