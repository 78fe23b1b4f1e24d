// right: its own scan in shared memory, with distances that double

#include "block_scan.cuh"

#define EACH 4

extern "C" __global__ void enqueue_all(const int *found, int rows, int *queue, int *size) {
  __shared__ int sums[1024];
  __shared__ int start;
  for (int first = blockIdx.x * blockDim.x; first < rows; first += gridDim.x * blockDim.x) {
    int row = first + threadIdx.x;
    int own[EACH];
    int count = 0;
    for (int k = 0; k < EACH; k++) {
      own[k] = row < rows ? found[row * EACH + k] : -1;
      if (own[k] >= 0) count++;
    }
    int t = threadIdx.x;
    int place = count;
    sums[t] = place;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
      int left = t >= d ? sums[t - d] : 0;
      __syncthreads();
      place += left;
      sums[t] = place;
      __syncthreads();
    }
    if (t == blockDim.x - 1) start = atomicAdd(size, place);
    __syncthreads();
    place += start - count;
    for (int k = 0; k < EACH; k++) {
      if (own[k] >= 0) {
        queue[place] = own[k];
        place++;
      }
    }
    __syncthreads();
  }
}
