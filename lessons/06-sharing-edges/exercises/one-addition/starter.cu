// Threads have found vertices, each another number of them, and all of these go
// into the queue. A block goes over the rows of `found` in rounds, a row for each
// thread.
//
// The kernel puts them all there, by an addition for each thread. Bring it to one
// addition to *size for each block and round. Besides, what a block has found in a
// round is to lie in the queue in the order of its threads, and of each thread in
// the order of its row. Which block comes first is open.
//
// found: EACH places for each of `rows` rows; -1 where nothing was found.
// queue: receives the vertices, from place 0 on.
// size:  their number; 0 at the start.
// Blocks have up to 1024 threads, whole warps always. `block_exclusive_sum` is the
// block's scan of this lesson; the comment above it says what it needs.

#include "block_scan.cuh"

#define EACH 4

extern "C" __global__ void enqueue_all(const int *found, int rows, int *queue, int *size) {
  __shared__ int warp_totals[MOST_WARPS];
  __shared__ int start;  // for the round: the block's first place in the queue
  for (int first = blockIdx.x * blockDim.x; first < rows; first += gridDim.x * blockDim.x) {
    int row = first + threadIdx.x;
    int own[EACH];
    int count = 0;
    for (int k = 0; k < EACH; k++) {
      own[k] = row < rows ? found[row * EACH + k] : -1;
      if (own[k] >= 0) count++;
    }
    int place = atomicAdd(size, count);
    for (int k = 0; k < EACH; k++) {
      if (own[k] >= 0) {
        queue[place] = own[k];
        place++;
      }
    }
  }
}
