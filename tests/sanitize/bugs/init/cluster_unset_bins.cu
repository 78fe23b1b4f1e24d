// A histogram in the shared memory of a cluster: each block sets its own bins to 0 first.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __cluster_dims__(2) __global__ void cluster_unset_bins(const int *in, int *out) {
  __shared__ int bins[32];
  cg::cluster_group cluster = cg::this_cluster();
#ifdef BUGGY
  if (cluster.block_rank() == 0) bins[threadIdx.x] = 0;
#else
  bins[threadIdx.x] = 0;
#endif
  cluster.sync();
  int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&cluster.map_shared_rank(bins, value / 32)[value % 32], 1);  // BUG
  cluster.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = bins[threadIdx.x];  // BUG
}
