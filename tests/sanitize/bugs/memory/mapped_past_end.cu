// A table is spread over the blocks of a cluster: 32 entries each.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __cluster_dims__(4) __global__ void mapped_past_end(const int *in, const int *keys,
                                                               int *out) {
  __shared__ int spare[32];
  __shared__ int table[32];
  cg::cluster_group cluster = cg::this_cluster();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  table[threadIdx.x] = in[i];
  spare[threadIdx.x] = 0;
  cluster.sync();
  int key = keys[i];
#ifdef BUGGY
  out[i] = cluster.map_shared_rank(table, key / 64)[key % 64];  // BUG
#else
  out[i] = cluster.map_shared_rank(table, key / 32)[key % 32];
#endif
  cluster.sync();
}
