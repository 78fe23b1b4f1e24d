// right: warps scan, and one thread goes over their totals

#include "block_scan.cuh"

#define EACH 4

extern "C" __global__ void enqueue_all(const int *found, int rows, int *queue, int *size) {
  __shared__ int warp_totals[MOST_WARPS];
  __shared__ int start;
  for (int first = blockIdx.x * blockDim.x; first < rows; first += gridDim.x * blockDim.x) {
    int row = first + threadIdx.x;
    int own[EACH];
    int count = 0;
    for (int k = 0; k < EACH; k++) {
      own[k] = row < rows ? found[row * EACH + k] : -1;
      if (own[k] >= 0) count++;
    }
    int lane = threadIdx.x % warpSize;
    int warp = threadIdx.x / warpSize;
    int place = warp_inclusive_sum(count) - count;
    if (lane == warpSize - 1) warp_totals[warp] = place + count;
    __syncthreads();
    if (threadIdx.x == 0) {
      int sum = 0;
      for (int w = 0; w < blockDim.x / warpSize; w++) {
        int own = warp_totals[w];
        warp_totals[w] = sum;
        sum += own;
      }
      start = atomicAdd(size, sum);
    }
    __syncthreads();
    place += start + warp_totals[warp];
    for (int k = 0; k < EACH; k++) {
      if (own[k] >= 0) {
        queue[place] = own[k];
        place++;
      }
    }
    __syncthreads();
  }
}
