// wrong: one thread writes what all have found
// loses: limit
// says: load_requests is

#include "block_scan.cuh"

#define EACH 4

extern "C" __global__ void enqueue_all(const int *found, int rows, int *queue, int *size) {
  for (int first = blockIdx.x * blockDim.x; first < rows; first += gridDim.x * blockDim.x) {
    if (threadIdx.x > 0) continue;
    int behind = min(first + (int)blockDim.x, rows);
    int count = 0;
    for (int k = first * EACH; k < behind * EACH; k++)
      if (found[k] >= 0) count++;
    int place = atomicAdd(size, count);
    for (int k = first * EACH; k < behind * EACH; k++) {
      if (found[k] >= 0) {
        queue[place] = found[k];
        place++;
      }
    }
  }
}
