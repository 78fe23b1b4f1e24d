// One warp of each block hands values on; the barrier is for all threads of the cluster.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __cluster_dims__(2) __global__ void cluster_barrier_of_one_warp(const int *in, int *out) {
  __shared__ int tile[32];
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 32) {
    tile[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
#ifdef BUGGY
    cluster.sync();  // BUG
  }
#else
  }
  cluster.sync();
#endif
  if (threadIdx.x < 32) {
    int found = cluster.map_shared_rank(tile, 1 - cluster.block_rank())[threadIdx.x];
    out[blockIdx.x * 32 + threadIdx.x] = found;
  }
#ifndef BUGGY
  cluster.sync();
#endif
}
