// The first block of a cluster has nothing more to do, but others still read what it has.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __cluster_dims__(4) __global__ void mapped_to_ended_block(const int *in, int *out) {
  __shared__ int tile[32];
  cg::cluster_group cluster = cg::this_cluster();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  cluster.sync();
#ifdef BUGGY
  if (cluster.block_rank() == 0) return;
  cluster.sync();
  out[i] = cluster.map_shared_rank(tile, 0)[threadIdx.x];  // BUG
#else
  if (cluster.block_rank() > 0) out[i] = cluster.map_shared_rank(tile, 0)[threadIdx.x];
  cluster.sync();
#endif
}
