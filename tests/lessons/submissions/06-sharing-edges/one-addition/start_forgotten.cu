// wrong: the place among the block's for that in the queue
// loses: result
// says: is not in the queue

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
    int place = block_exclusive_sum(count, warp_totals);
    if (threadIdx.x == blockDim.x - 1) start = atomicAdd(size, place + count);
    __syncthreads();
    for (int k = 0; k < EACH; k++) {
      if (own[k] >= 0) {
        queue[place] = own[k];
        place++;
      }
    }
  }
}
