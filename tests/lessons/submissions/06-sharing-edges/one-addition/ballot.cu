// wrong: a place for each thread that has found something, however much
// loses: result
// says: size[0] is wrong

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
    int place = block_exclusive_sum(count > 0, warp_totals);
    if (threadIdx.x == blockDim.x - 1) start = atomicAdd(size, place + (count > 0));
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
