// Cooperative groups: the set of threads that work together is a value, passed to
// functions that then need not guess who calls them.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Every thread of the tile gets the sum.
__device__ int tile_sum(const cg::thread_block_tile<32> &tile, int value) {
  for (int distance = tile.size() / 2; distance > 0; distance /= 2) {
    value += tile.shfl_xor(value, distance);
  }
  return value;
}

// total: starts at 0. Blocks have a multiple of 32 threads.
extern "C" __global__ void sum_by_tiles(const int *in, int *total, int n) {
  __shared__ int sums[32];
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
  int i = blockIdx.x * block.size() + block.thread_rank();
  int warp = block.thread_rank() / 32;
  int sum = tile_sum(tile, i < n ? in[i] : 0);
  if (tile.thread_rank() == 0) sums[warp] = sum;
  block.sync();
  // The first tile adds up what all tiles left.
  if (warp == 0) {
    sum = tile_sum(tile, tile.thread_rank() < block.size() / 32 ? sums[tile.thread_rank()] : 0);
    if (tile.thread_rank() == 0) atomicAdd(total, sum);
  }
}

// out: the multiples of three, in any order; count: starts at 0. The lanes that found one
// make one atomic addition together instead of one each.
extern "C" __global__ void filter_aggregated(const int *in, int *out, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] % 3 != 0) return;
  // Whoever is here right now; which lanes these are is up to the machine.
  cg::coalesced_group found = cg::coalesced_threads();
  int first = 0;
  if (found.thread_rank() == 0) first = atomicAdd(count, (int)found.size());
  out[found.shfl(first, 0) + found.thread_rank()] = in[i];
}

// Tiles of 8 vote: how many lanes of its tile are above their own tile's first element.
extern "C" __global__ void count_above_first(const int *in, int *out) {
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[i];
  unsigned above = tile.ballot(value > tile.shfl(value, 0));
  // All lanes of the tile agree on the count, but one is enough to write it.
  if (tile.thread_rank() == 0) out[i / 8] = __popc(above);
}
