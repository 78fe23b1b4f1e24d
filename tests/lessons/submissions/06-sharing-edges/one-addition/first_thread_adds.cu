// wrong: thread 0 adds, who only knows its own count
// loses: result
// says: wrong

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
    if (threadIdx.x == 0) start = atomicAdd(size, place + count);
    __syncthreads();
    place += start;
    for (int k = 0; k < EACH; k++) {
      if (own[k] >= 0) {
        queue[place] = own[k];
        place++;
      }
    }
  }
}
