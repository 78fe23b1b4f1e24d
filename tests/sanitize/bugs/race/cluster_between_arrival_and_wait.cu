// A value is handed on between arriving at the cluster's barrier and waiting there.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __cluster_dims__(2) __global__ void cluster_between_arrival_and_wait(const int *in,
                                                                                int *out) {
  __shared__ int tile[64];
  cg::cluster_group cluster = cg::this_cluster();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef BUGGY
  cluster.barrier_arrive();
  tile[threadIdx.x] = in[i];  // BUG
#else
  tile[threadIdx.x] = in[i];
  cluster.barrier_arrive();
#endif
  cluster.barrier_wait();
  out[i] = cluster.map_shared_rank(tile, 1 - cluster.block_rank())[threadIdx.x];  // BUG
  cluster.sync();
}
