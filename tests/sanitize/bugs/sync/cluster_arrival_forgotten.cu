// Work between arriving and waiting; a second round waits without having arrived.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __cluster_dims__(2) __global__ void cluster_arrival_forgotten(const int *in, int *out) {
  __shared__ int tile[32];
  cg::cluster_group cluster = cg::this_cluster();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  cluster.barrier_arrive();
  int own = 2 * in[i];
  cluster.barrier_wait();
  out[i] = own + cluster.map_shared_rank(tile, 1 - cluster.block_rank())[threadIdx.x];
#ifndef BUGGY
  cluster.barrier_arrive();
#endif
  cluster.barrier_wait();  // BUG
}
