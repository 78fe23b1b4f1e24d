// The blocks of a cluster sum up what they have; the first one takes another way.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __cluster_dims__(2) __global__ void cluster_barrier_for_some_blocks(const int *in,
                                                                               int *out) {
  __shared__ int value;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) value = in[blockIdx.x];
#ifdef BUGGY
  if (cluster.block_rank() > 0) cluster.sync();  // BUG
#else
  cluster.sync();
#endif
  if (threadIdx.x == 0 && cluster.block_rank() > 0) {
    out[blockIdx.x] = value + *cluster.map_shared_rank(&value, 0);
  }
#ifdef BUGGY
  if (cluster.block_rank() > 0) cluster.sync();
#else
  cluster.sync();
#endif
}
