// A sum over a cluster; __syncthreads waits for the threads of one block only.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __cluster_dims__(2) __global__ void cluster_with_block_barrier(const int *in,
                                                                          int *out) {
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;  // BUG
  __syncthreads();
  atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);  // BUG
#ifdef BUGGY
  __syncthreads();
#else
  cluster.sync();
#endif
  if (cluster.thread_rank() == 0) {
    int total = 0;
    for (unsigned r = 0; r < cluster.num_blocks(); r++) {
      total += *cluster.map_shared_rank(&sum, r);  // BUG
    }
    out[blockIdx.x / cluster.num_blocks()] = total;
  }
  cluster.sync();
}
