// wrong: empty
// loses: result
// says: has no level

#include "bottom_up.cuh"
#include "scan_free.cu"
#include "segments.cuh"

__device__ unsigned scan_together(const int *level, int wanted, Segment own, int turn) {
  int lane = threadIdx.x % warpSize;
  unsigned mine = 0;
  return mine;
}

// How many turns the longest of the warp's segments takes: the first lane's.
__device__ int turns(Segment own) {
  int length = __shfl_sync(EVERY_LANE, own.end - own.begin, 0);
  return (length + warpSize - 1) / warpSize;
}

// Scan I counts.
extern "C" __global__ void double_scan_count(const int *level, int vertices, int wanted,
                                             int *place, int *block_totals) {
  Segment own = own_segment(vertices);
  int count = 0;
  int all = turns(own);
  for (int turn = 0; turn < all; turn++) {
    count += __popc(scan_together(level, wanted, own, turn));
  }
  store_counts(count, place, block_totals);
}

// Scan II puts the vertices where the counts say.
extern "C" __global__ void double_scan_place(const int *level, int vertices, int wanted,
                                             const int *place, const int *block_totals,
                                             int *queue) {
  Segment own = own_segment(vertices);
  int slot = block_totals[blockIdx.x] + place[blockIdx.x * blockDim.x + threadIdx.x];
  int all = turns(own);
  for (int turn = 0; turn < all; turn++) {
    unsigned bits = scan_together(level, wanted, own, turn);
    while (bits != 0) {
      int first = __ffs(bits) - 1;
      queue[slot] = own.begin + turn * warpSize + first;
      slot++;
      bits &= bits - 1;  // without the lowest of them
    }
  }
}
