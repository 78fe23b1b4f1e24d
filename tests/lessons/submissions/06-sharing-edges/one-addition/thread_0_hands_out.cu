// wrong: one thread hands out all places
// loses: limit
// says: work.maximum is

#include "block_scan.cuh"

#define EACH 4

extern "C" __global__ void enqueue_all(const int *found, int rows, int *queue, int *size) {
  __shared__ int places[1024];
  __shared__ int start;
  for (int first = blockIdx.x * blockDim.x; first < rows; first += gridDim.x * blockDim.x) {
    int row = first + threadIdx.x;
    int own[EACH];
    int count = 0;
    for (int k = 0; k < EACH; k++) {
      own[k] = row < rows ? found[row * EACH + k] : -1;
      if (own[k] >= 0) count++;
    }
    places[threadIdx.x] = count;
    __syncthreads();
    if (threadIdx.x == 0) {
      int total = 0;
      for (int t = 0; t < blockDim.x; t++) {
        int wanted = places[t];
        places[t] = total;
        total += wanted;
      }
      start = atomicAdd(size, total);
    }
    __syncthreads();
    int place = start + places[threadIdx.x];
    for (int k = 0; k < EACH; k++) {
      if (own[k] >= 0) {
        queue[place] = own[k];
        place++;
      }
    }
    __syncthreads();
  }
}
