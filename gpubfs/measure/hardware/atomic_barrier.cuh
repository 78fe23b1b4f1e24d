// A barrier of the grid that waits by atomics alone, in the place of CUDA's.
//
// CUDA's barrier loads a word again and again until all blocks have come. How often
// depends on time, and the hardware counts it among the kernel's own loads. With
// this header included first (--pre-include), its counters of loads are the kernel's
// and nobody else's. For grids and blocks of one dimension.

#pragma once
#define _COOPERATIVE_GROUPS_H_  // CUDA's own header is then empty

namespace cooperative_groups {

static __device__ unsigned arrivals;  // how often blocks have come to the barrier

struct grid_group {
  __device__ unsigned long long thread_rank() const {
    return (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  }

  __device__ void sync() const {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      unsigned ticket = atomicAdd(&arrivals, 1u);
      unsigned all = (ticket / gridDim.x + 1) * gridDim.x;
      while (atomicCAS(&arrivals, ~0u, ~0u) < all) {
      }
      __threadfence();
    }
    __syncthreads();
  }
};

__device__ inline grid_group this_grid() { return grid_group(); }

}  // namespace cooperative_groups
