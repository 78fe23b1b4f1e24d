// wrong: places by an atomic in shared memory: whoever comes first
// loses: schedule
// says: in the order of the block

#include "block_scan.cuh"

#define EACH 4

extern "C" __global__ void enqueue_all(const int *found, int rows, int *queue, int *size) {
  __shared__ int total;
  __shared__ int start;
  for (int first = blockIdx.x * blockDim.x; first < rows; first += gridDim.x * blockDim.x) {
    int row = first + threadIdx.x;
    int own[EACH];
    int count = 0;
    for (int k = 0; k < EACH; k++) {
      own[k] = row < rows ? found[row * EACH + k] : -1;
      if (own[k] >= 0) count++;
    }
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    int place = atomicAdd(&total, count);
    __syncthreads();
    if (threadIdx.x == 0) start = atomicAdd(size, total);
    __syncthreads();
    place += start;
    for (int k = 0; k < EACH; k++) {
      if (own[k] >= 0) {
        queue[place] = own[k];
        place++;
      }
    }
    __syncthreads();
  }
}
