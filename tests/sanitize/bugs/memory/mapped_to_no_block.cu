// Each block adds to what the next one has; the last one has no next one.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __cluster_dims__(4) __global__ void mapped_to_no_block(const int *in, int *out) {
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = in[blockIdx.x];
  cluster.sync();
  unsigned next = cluster.block_rank() + 1;
#ifndef BUGGY
  if (next < cluster.num_blocks())
#endif
    atomicAdd(cluster.map_shared_rank(&sum, next), 1);  // BUG
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
